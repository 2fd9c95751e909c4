"""Checks a repository of 500 packs against its merge base as a cold process: a few changed, the others as they were."""

import json
import pathlib
import subprocess
import sys
import tempfile

from common import git, pack, program, table, tool, write

PACKS = 500
CHANGED = 3
RUNS = 10


def repository(folder):
    """A branch with a few changed packs, beside the branch that it left."""
    git(folder, "init", "--quiet", "--initial-branch=main")
    for number in range(PACKS):
        write(folder / f"packs/p{number}.pack.json", pack(f"pack-{number}"))
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message=packs")
    git(folder, "checkout", "--quiet", "-b", "change")
    for number in range(CHANGED):
        write(folder / f"packs/p{number}.pack.json", pack(f"pack-{number}", version="1.1.0", extra="\n\nBe brief."))
    git(folder, "commit", "--quiet", "--all", "--message=change")


def main():
    packhouse = program()
    hyperfine = tool("hyperfine")
    if not hyperfine:
        sys.exit("nothing can be timed without hyperfine")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / "repository"
        folder.mkdir()
        repository(folder)
        names = {
            f"`packhouse check`, {PACKS} packs, {CHANGED} changed": "check packs --against merge-base:main",
            f"`packhouse lint`, the same {PACKS} packs": "lint packs",
        }
        commands = [f"{packhouse} {arguments}" for arguments in names.values()]
        shown = subprocess.run([*commands[0].split(), "--format=json"], cwd=folder, check=True, capture_output=True, text=True)
        statuses = [entry["status"] for entry in json.loads(shown.stdout)["packs"]]
        assert statuses.count("changed") == CHANGED and statuses.count("unchanged") == PACKS - CHANGED, statuses
        result = pathlib.Path(temporary) / "times.json"
        arguments = [hyperfine, "--shell=none", "--warmup=2", f"--runs={RUNS}", "--style=none", f"--export-json={result}"]
        subprocess.run([*arguments, *commands], cwd=folder, check=True, capture_output=True)
        results = json.loads(result.read_text())["results"]
        rows = [(name, f"{entry['mean'] * 1000:.0f} ms", f"{(entry['user'] + entry['system']) * 1000:.0f} ms") for name, entry in zip(names, results)]
        table(["what", f"mean of {RUNS} cold runs", "processor time"], rows)


main()
