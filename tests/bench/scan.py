"""Measures scans: a long history beside Git itself, commit to served, many tags, shared skills."""

import json
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

from common import git, pack, table, write
from daemon import Daemon

COMMITS, VERSIONS = 1300, 60
SERVED = 200
TAGS = 10_000
SKILLS, SKILL_VERSIONS = 20, 300


class History:
    """Commits for `git fast-import`: thousands in a second."""

    def __init__(self, folder):
        self.folder = folder
        self.lines = []
        self.mark = 0
        git(folder.parent, "init", "-q", "-b", "main", folder.name)

    def commit(self, files):
        self.mark += 1
        parent = f"from :{self.mark - 1}\n" if self.mark > 1 else ""
        when = 1_767_225_600 + self.mark
        self.lines.append(f"commit refs/heads/main\nmark :{self.mark}\ncommitter Ada <ada@example.org> {when} +0000\ndata 1\nx\n{parent}")
        for path, text in files.items():
            self.lines.append(f"M 100644 inline {path}\ndata {len(text.encode())}\n{text}\n")

    def tag(self, name):
        self.lines.append(f"reset refs/tags/{name}\nfrom :{self.mark}\n\n")

    def write(self):
        subprocess.run(["git", "fast-import", "--quiet"], cwd=self.folder, input="".join(self.lines).encode(), check=True)
        git(self.folder, "gc", "-q")


def configured(folder, versions="branch", poll="1h"):
    text = f'[[source]]\nname = "packs"\npath = "packs"\nversions = "{versions}"\npoll = "{poll}"\n'
    (folder / "registry.toml").write_text(text)


def long_history(folder):
    """1,300 commits in a repository of many files, of which 60 change a pack."""
    history = History(folder / "packs")
    history.commit({f"src/part{n // 20}/file{n}.txt": f"file {n}\n" for n in range(400)})
    every = COMMITS // VERSIONS
    for number in range(1, COMMITS):
        version, rest = divmod(number, every)
        if rest == 0 and version < VERSIONS + 1:
            text = json.dumps(pack("greeter", f"1.0.{version - 1}", extra=f" Edition {version}."), indent=2)
            history.commit({"packs/greeter.pack.json": text})
        else:
            history.commit({f"src/part{number % 20}/file{number % 400}.txt": f"commit {number}\n"})
    history.write()
    configured(folder)


def by_git(packs):
    """What reading the same costs Git: the raw log, then every blob of the pack."""
    started = time.perf_counter()
    log = git(packs, "log", "--first-parent", "--raw", "--no-abbrev", "--reverse", "main")
    blobs = re.findall(r"^:\d+ \d+ \w+ (\w+) \w\t\S+\.json$", log, re.MULTILINE)
    subprocess.run(["git", "cat-file", "--batch"], cwd=packs, input="\n".join(blobs).encode(), check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - started) * 1000, len(blobs)


def scanned(folder):
    """Milliseconds of the first scan, and from the start of the process until everything is served."""
    started = time.perf_counter()
    daemon = Daemon(folder)
    daemon.wait(f"/v1/packs/greeter/versions/1.0.{VERSIONS - 1}/pack.json")
    served = (time.perf_counter() - started) * 1000
    while not (scan := daemon.json("/v1/sources/packs")["last_scan"]):
        time.sleep(0.01)
    return scan["duration_ms"], served, daemon


def commit_to_served(folder, daemon):
    packs, times = folder / "packs", []
    git(packs, "reset", "-q", "--hard")
    for number in range(SERVED):
        write(packs / "packs/greeter.pack.json", pack("greeter", f"1.1.{number}", extra=f" Commit {number}."))
        git(packs, "commit", "-q", "--all", "-m", "edition")
        committed = time.perf_counter()
        daemon.wait(f"/v1/packs/greeter/versions/1.1.{number}/pack.json")
        times.append((time.perf_counter() - committed) * 1000)
    daemon.stop()
    return statistics.median(times), statistics.quantiles(times, n=100)[98]


def unmoved(folder):
    """Processor time of looking once at a source with many tags that did not move."""
    history = History(folder / "packs")
    for number in range(100):
        history.commit({"greeter.pack.json": json.dumps(pack("greeter", f"1.0.{number}", extra=f" Edition {number}."))})
        for tag in range(TAGS // 100):
            history.tag(f"build-{number}-{tag}" if tag else f"v1.0.{number}")
    history.write()
    configured(folder, "tags", "50ms")
    daemon = Daemon(folder)
    daemon.wait("/v1/packs/greeter/versions/1.0.99/pack.json")
    time.sleep(1)
    attempts = set()
    before, started = daemon.processor_ms(), time.perf_counter()
    while time.perf_counter() - started < 5:
        attempts.add(daemon.json("/v1/sources/packs")["last_attempt"])
        time.sleep(0.02)
    spent = daemon.processor_ms() - before
    daemon.stop()
    return spent / max(1, len(attempts) - 1)


def folder_bytes(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def shared_skills(folder):
    """How large the ledger of many versions that share skills is, beside its source's objects."""
    history = History(folder / "packs")
    skills = {f"skills/s{n}/SKILL.md": f"---\nname: s{n}\ndescription: Skill {n}.\n---\n\n" + f"Step {n} is explained here. " * 150 for n in range(SKILLS)}
    history.commit(skills)
    for number in range(SKILL_VERSIONS):
        value = pack("greeter", f"1.0.{number}", extra=f" Edition {number}.")
        value["skills"] = [f"skills/s{n}" for n in range(SKILLS)]
        history.commit({"greeter.pack.json": json.dumps(value, indent=2)})
    history.write()
    configured(folder)
    daemon = Daemon(folder)
    daemon.wait(f"/v1/packs/greeter/versions/1.0.{SKILL_VERSIONS - 1}/pack.json")
    daemon.stop()
    return folder_bytes(folder / "packs/.git/objects"), folder_bytes(folder / "state/ledger.git/objects")


def main():
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        long_history(folder)
        of_git, blobs = by_git(folder / "packs")
        scan, served, daemon = scanned(folder)
        rows.append((f"`git log --raw` and `git cat-file --batch`, {COMMITS} commits, {blobs} blobs", f"{of_git:.0f} ms"))
        rows.append(("first scan of the same: found, judged, published", f"{scan} ms"))
        rows.append(("start on an empty state until all is served", f"{served:.0f} ms"))
        middle, slow = commit_to_served(folder, daemon)
        rows.append((f"commit → served, {SERVED} commits", f"p50 {middle:.0f} ms, p99 {slow:.0f} ms"))
    with tempfile.TemporaryDirectory() as temporary:
        rows.append((f"a look at an unmoved source with {TAGS} tags", f"{unmoved(pathlib.Path(temporary)):.1f} ms of processor time"))
    with tempfile.TemporaryDirectory() as temporary:
        source, ledger = shared_skills(pathlib.Path(temporary))
        sizes = f"{ledger // 1024} KiB beside {source // 1024} KiB: {ledger / source:.1f} times"
        rows.append((f"ledger of {SKILL_VERSIONS} versions with {SKILLS} skills each, beside its source", sizes))
    table(["what", "measured"], rows)


main()
