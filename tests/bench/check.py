"""Checks as cold processes: 500 packs against their merge base, a few changed; one pack against its 100 releases."""

import json
import pathlib
import subprocess
import sys
import tempfile

from common import git, pack, program, table, tool, write

PACKS = 500
CHANGED = 3
RELEASES = 100
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


def line(folder):
    """A branch with the next version of a pack that has many releases, each with a text of its own."""
    git(folder, "init", "--quiet", "--initial-branch=main")
    for number in range(RELEASES + 1):
        if number == RELEASES:
            git(folder, "checkout", "--quiet", "-b", "change")
        write(folder / "packs/p.pack.json", pack("pack", version=f"1.{number}.0", extra=f"\n\nThis is text number {number}."))
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", f"--message={number}")


def timed(hyperfine, commands, folder, result):
    """What hyperfine says of each command, run in a folder."""
    arguments = [hyperfine, "--shell=none", "--warmup=2", f"--runs={RUNS}", "--style=none", f"--export-json={result}"]
    subprocess.run([*arguments, *commands], cwd=folder, check=True, capture_output=True)
    return json.loads(result.read_text())["results"]


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
        results = timed(hyperfine, commands, folder, result)
        long = pathlib.Path(temporary) / "line"
        long.mkdir()
        line(long)
        one = f"{packhouse} check packs --against merge-base:main"
        results += timed(hyperfine, [one, f"{one} --transitive"], long, result)
        names = [*names, f"`packhouse check`, one pack with {RELEASES} releases", "the same with `--transitive`"]
        rows = [(name, f"{entry['mean'] * 1000:.0f} ms", f"{(entry['user'] + entry['system']) * 1000:.0f} ms") for name, entry in zip(names, results)]
        table(["what", f"mean of {RUNS} cold runs", "processor time"], rows)


main()
