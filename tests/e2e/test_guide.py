"""The user guide is true: its table of keys is the schema's, its files deploy, its commands answer what it shows."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import CHECKOUT, Tested

pytestmark = pytest.mark.slow

GUIDE = (CHECKOUT / "docs/GUIDE.md").read_text()
SCHEMA = json.loads((CHECKOUT / "frontend/src/main/resources/dev/sand/frontend/sand.schema.json").read_text())
BLOCKS = re.findall(r"^```(\w*)(?: file=(\S+))?\n(.*?)^```$", GUIDE, re.M | re.S)
NAME = "<name>"


def keys(schema: dict, place: str) -> dict[str, dict]:
    """Every key that the schema allows, as the guide writes it: grains.<name>.memory, routes[].path."""
    schema = resolved(schema)
    found: dict[str, dict] = {}
    for name, inner in schema.get("properties", {}).items():
        here = f"{place}.{name}" if place else name
        found[here] = resolved(inner)
        if here != "defaults":  # the keys of a grain
            found |= keys(inner, here)
    if isinstance(schema.get("additionalProperties"), dict) and "properties" in resolved(schema["additionalProperties"]):
        found |= keys(schema["additionalProperties"], f"{place}.{NAME}")
    if "properties" in resolved(schema.get("items", {})):
        found |= keys(schema["items"], f"{place}[]")
    return found


def resolved(schema: dict) -> dict:
    """With what its $ref says; keys that stand beside the $ref are all that is listed of it, the others are said to be its."""
    reference = schema.get("$ref")
    if not reference:
        return schema
    name = reference.rpartition("/")[2]
    return SCHEMA["$defs"][name] | {key: value for key, value in schema.items() if key != "$ref"} | {"is": name}


def kind(schema: dict) -> str:
    if schema.get("is") in ("size", "duration"):
        return schema["is"]
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "type" not in schema:
        return "any"
    kinds = schema["type"]
    first = kinds if isinstance(kinds, str) else kinds[0]
    return {"array": "list", "object": "object"}.get(first, first)


def bound(schema: dict) -> str:
    if "minimum" in schema and schema.get("is") is None:
        return f"{schema['minimum']:,} to {schema['maximum']:,}" if "maximum" in schema else f"from {schema['minimum']:,}"
    for key, unit in (("maxItems", "entries"), ("maxProperties", "entries"), ("maxLength", "characters")):
        if key in schema:
            return f"{schema[key]:,} {unit}"
    return "–"  # noqa: RUF001


def rows() -> dict[str, list[str]]:
    table = GUIDE[GUIDE.index("| key | type |") :].split("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in table]
    return {row[0].strip("`"): row[1:] for row in cells}


def test_the_table_of_keys_is_the_schemas():
    expected = {key: (kind(schema), bound(schema)) for key, schema in keys(SCHEMA, "").items()}
    assert {key: (row[0], row[2]) for key, row in rows().items()} == expected


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The guide's files, as the application's folder."""
    folder = tmp_path_factory.mktemp("guide") / "shop"
    for _, name, content in BLOCKS:
        if name:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content)
    return folder


def test_the_defaults_are_the_platforms(tested: Tested):
    files = {"sand.yaml": "name: plain\n", "grains/g/handler.py": "def handle(event, context): pass\n"}
    assert tested.deploy_files(files).status_code == 201
    told = tested.api("plain")
    grain, sandbox = told["grains"]["g"], told["sandbox"]
    shown = {key: row[1] for key, row in rows().items()}
    g = f"grains.{NAME}"
    assert shown[f"{g}.timeout"] == f"{grain['timeoutMs'] // 1000}s"
    assert shown[f"{g}.concurrency"] == str(grain["concurrency"])
    assert shown[f"{g}.queue.depth"] == f"{grain['queueDepth']:,}"
    assert shown[f"{g}.queue.bytes"] == f"{grain['queueBytes'] >> 20}MiB"
    assert shown[f"{g}.idle.min"] == str(grain["minIdle"]) and shown[f"{g}.idle.max"] == str(grain["maxIdle"])
    assert shown[f"{g}.isolation"] == f"`{grain['isolation'].lower()}`"
    assert shown[f"{g}.preload"] == f"`{grain['preload'].lower()}`"
    assert shown[f"{g}.entry"] == f"`{grain['entry']}`"
    assert shown["sandbox.memory"] == f"{sandbox['memoryBytes'] >> 30}GiB"
    assert shown["sandbox.pids"] == str(sandbox["pids"])
    assert shown["sandbox.idleTimeout"] == f"{sandbox['idleTimeoutMs'] // 60_000}m"


def transcript(text: str) -> list[tuple[str, str]]:
    """A console block as commands with what they print."""
    parts = re.split(r"^\$ ", text, flags=re.M)[1:]
    return [(command, expected) for command, _, expected in (part.partition("\n") for part in parts)]


def matches(expected: str, actual: str) -> bool:
    """Columns are as wide as what is in them: how many spaces there are says nothing."""
    wanted, got = (re.sub(" +", " ", text.strip()) for text in (expected, actual))
    return re.fullmatch(re.escape(wanted).replace("…", ".*"), got, re.S) is not None


def test_the_commands_answer_what_the_guide_shows(tested: Tested, folder: Path):
    tools = folder.parent / "bin"
    tools.mkdir()
    (tools / "sand").write_text(f'#!/bin/sh\nexec {sys.executable} -P -m sand.command "$@"\n')
    (tools / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    for tool in tools.iterdir():
        tool.chmod(0o755)
    tested.deploy(folder)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "SAND_SERVER": tested.server}
    environment.pop("PYTHONPATH", None)
    marker = "\x1e"
    steps = [step for language, _, text in BLOCKS if language == "console" for step in transcript(text)]
    commands = [command.replace("http://127.0.0.1:7263", tested.server) for command, _ in steps]
    # One shell for all, since later commands use what earlier ones kept, $? too.
    script = f"\ncode=$?; printf '{marker}'; (exit $code)\n".join(commands)
    done = subprocess.run(
        ["bash"],
        input=script,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=folder.parent,
        env=environment,
        timeout=240,
        check=False,
    )
    answers = done.stdout.split(marker)
    assert len(answers) == len(steps)
    for (command, expected), actual in zip(steps, answers, strict=True):
        assert matches(expected, actual), f"$ {command}\n{actual}\n-- the guide says\n{expected}"
