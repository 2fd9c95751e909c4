"""What the benchmark scripts share: the program, packs, tables."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def program():
    """The release build, or the one that PACKHOUSE names."""
    path = os.environ.get("PACKHOUSE") or ROOT / "target" / "release" / "packhouse"
    if not pathlib.Path(path).exists():
        sys.exit(f"missing: {path} (run `cargo build --release`)")
    return str(path)


def tool(name, variable=None):
    """The path of a peer, or None with a line that says so."""
    found = (os.environ.get(variable) if variable else None) or shutil.which(name)
    if not found:
        print(f"missing: {name}; its row is left out", file=sys.stderr)
    return found


def pack(pack_id, version="1.0.0", words=150, extra=""):
    """A clean pack of about 2 KiB: a prompt, two variables, a tool."""
    text = " ".join(f"Rule {n} holds for every answer." for n in range(words // 6))
    language = {"name": "language", "type": "string", "required": False, "default": "English", "description": "The language."}
    query = {"type": "string", "description": "What to look for."}
    return {
        "$schema": "https://promptpack.org/schema/v1.5.1/promptpack.schema.json",
        "id": pack_id,
        "name": pack_id.title(),
        "version": version,
        "description": "A pack for measuring.",
        "template_engine": {"version": "v1", "syntax": "{{variable}}"},
        "prompts": {
            "answer": {
                "id": "answer",
                "name": "Answer",
                "version": "1.0.0",
                "description": "Answers a question.",
                "system_template": f"You work for {{{{company}}}} and answer in {{{{language}}}}.\n\n{text}{extra}",
                "variables": [
                    {"name": "company", "type": "string", "required": True, "description": "The company.", "example": "Acme"},
                    language,
                ],
                "tools": ["look_up"],
            }
        },
        "tools": {
            "look_up": {
                "name": "look_up",
                "description": "Looks something up.",
                "parameters": {"type": "object", "properties": {"query": query}, "required": ["query"]},
            }
        },
    }


def write(path, value):
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2))
    return path


def git(folder, *arguments):
    """Runs Git without any configuration of the user."""
    names = {f"GIT_{role}_{what}": value for role in ["AUTHOR", "COMMITTER"] for what, value in [("NAME", "Ada"), ("EMAIL", "ada@example.org")]}
    environment = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1", **names)
    return subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True).stdout


def table(head, rows):
    for row in [head, ["---"] * len(head), *rows]:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print()
