"""Lints many packs as a cold process, beside a schema-only validator command on the same files."""

import json
import pathlib
import subprocess
import tempfile

from common import pack, program, table, tool, write

PACKS = 1000


def timed(hyperfine, commands, folder):
    """Mean wall time of each command in milliseconds, all in one run."""
    result = folder / "times.json"
    arguments = [hyperfine, "--shell=none", "--warmup=2", "--runs=10", "--style=none", f"--export-json={result}"]
    subprocess.run([*arguments, *commands], check=True, capture_output=True)
    return [round(entry["mean"] * 1000, 1) for entry in json.loads(result.read_text())["results"]]


def main():
    packhouse = program()
    hyperfine = tool("hyperfine")
    validator = tool("jsonschema", "JSONSCHEMA")
    if not hyperfine:
        raise SystemExit("nothing can be timed without hyperfine")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        sizes = [write(folder / f"packs/p{n}.pack.json", pack(f"pack-{n}")).stat().st_size for n in range(PACKS)]
        large = write(folder / "large/large.pack.json", pack("large", words=18600))
        schema = folder / "schema.json"
        schema.write_text(subprocess.run([packhouse, "schema", "1.5.1"], check=True, capture_output=True, text=True).stdout)
        names = [
            (f"`packhouse lint`, {PACKS} packs of {sum(sizes) // PACKS} bytes, all rules", f"{packhouse} lint {folder}/packs"),
            (f"`packhouse lint`, one pack of {large.stat().st_size // 1024} KiB", f"{packhouse} lint {large}"),
        ]
        if validator:
            name = f"`@sourcemeta/jsonschema validate`, the same {PACKS} packs, schema only"
            names.append((name, f"{validator} validate {schema} {folder}/packs"))
        times = timed(hyperfine, [command for _, command in names], folder)
        table(["what", "mean of 10 cold runs"], [(name, f"{time} ms") for (name, _), time in zip(names, times)])
        if validator:
            print(f"{times[2] / times[0]:.1f} times faster than the schema-only validator")


main()
