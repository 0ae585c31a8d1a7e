"""An application as its folder describes it, every default filled in; all mistakes are found at once.

The shape of sand.yaml is the frontend's JSON schema, the same file. What goes beyond it follows the frontend's readers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from sand.emulator import quantities, sand_yaml
from sand.emulator.definitions import Known, diagnostics
from sand.emulator.problems import invalid_application
from sand.emulator.processes_specs import FunctionSpec, ProcessReader, ProcessSpec
from sand.emulator.sand_yaml import FILE, FILE_BYTES
from sand.emulator.trigger_specs import QueueSpec, TriggerReader, TriggerSpec

NAME = r"[A-Za-z][A-Za-z0-9_-]{0,62}"
GRAIN_TIMEOUT_MS = 24 * 3_600_000
WORKFLOW_TIMEOUT_MS = 300_000
_LEAST_SANDBOX, _LEAST_INSTANCE = 64 << 20, 16 << 20
_SUFFIX = ".asl.json"


@dataclass(frozen=True)
class Grain:
    """A grain with its defaults; sizes in bytes, times in milliseconds."""

    name: str
    entry: str = "handler:handle"
    isolation: str = "request"
    preload: str = "auto"
    timeout_ms: int = 30_000
    concurrency: int = 100
    memory_bytes: int = 0
    queue_depth: int = 10_000
    queue_bytes: int = 64 << 20
    max_requests: int = 0
    environment: tuple[tuple[str, str], ...] = ()
    secrets: tuple[str, ...] = ()
    function: FunctionSpec = field(default_factory=FunctionSpec)
    idle: tuple[int, int] = (1, 16)
    """How many instances a platform keeps ready, at the least and at the most."""


@dataclass(frozen=True)
class Workflow:
    name: str
    definition: str
    timeout_ms: int


@dataclass(frozen=True)
class Route:
    method: str
    path: str
    target: str


@dataclass(frozen=True)
class Manifest:
    """What sand.yaml and the folder say. `document` is sand.yaml itself."""

    folder: Path
    name: str
    document: dict[str, Any]
    grains: dict[str, Grain]
    workflows: dict[str, Workflow]
    routes: tuple[Route, ...]
    queues: dict[str, QueueSpec]
    triggers: dict[str, TriggerSpec]
    sandbox_memory_bytes: int
    preload: tuple[str, ...]
    processes: ProcessSpec

    def path(self, grain: str | None = None) -> tuple[str, ...]:
        """Where code lies, as sys.path: a grain's own folder, then what all grains share."""
        shared = (str(self.folder), f"{self.folder}/.dependencies")
        return shared if grain is None else (f"{self.folder}/grains/{grain}", *shared)

    def has_target(self, name: str) -> bool:
        return name in self.grains or name in self.workflows

    def all_queues(self) -> dict[str, QueueSpec]:
        """Also those behind triggers."""
        return self.queues | {name: trigger.queue for name, trigger in self.triggers.items()}


class Findings:
    """What is wrong with a folder: reported together."""

    def __init__(self) -> None:
        self.all: list[dict[str, str]] = []

    def add(self, file: str, pointer: str, detail: str) -> None:
        self.all.append({"file": file, "pointer": pointer, "detail": detail})

    def check(self) -> None:
        if self.all:
            raise invalid_application(self.all)


def read(folder: Path) -> Manifest:
    """:raises problems.Problem: 422, with every finding"""
    findings = Findings()
    folder = folder.resolve()
    document = sand_yaml.document(folder, findings.add)
    findings.check()
    grains = _grains(folder, document, findings)
    workflows = _workflows(folder, document, grains, findings)
    for name in workflows.keys() & grains.keys():
        findings.add(FILE, f"/workflows/{name}", "a grain has this name already")
    known = grains.keys() | workflows.keys()
    routes = tuple(_routes(document, known, findings))
    for i, name in enumerate(document.get("share") or ()):
        if name not in grains:
            findings.add(FILE, f"/share/{i}", f"there is no grain '{name}'")
    if not grains:
        findings.add("grains", "", "there is no grain: each is a folder grains/<name>/ with a handler.py")
    sandbox = document.get("sandbox") or {}
    memory = _quantity(sandbox, "memory", "/sandbox", 1 << 30, quantities.size, findings)
    if memory < _LEAST_SANDBOX:
        findings.add(FILE, "/sandbox/memory", f"a sandbox needs at least {_LEAST_SANDBOX} bytes, not {memory}")
    reader = TriggerReader(document, known.__contains__, findings.add)
    queues, triggers = reader.queues(), reader.triggers()
    processes = ProcessReader(document, findings.add).processes()
    findings.check()
    preload = tuple(sandbox.get("preload") or ())
    return Manifest(
        folder, document["name"], document, grains, workflows, routes, queues, triggers, memory, preload, processes
    )  # fmt: skip


def _quantity(node: dict[str, Any], key: str, pointer: str, otherwise: int, parse: Any, findings: Findings) -> int:
    if node.get(key) is None:
        return otherwise
    try:
        return parse(node[key])
    except ValueError as bad:
        findings.add(FILE, f"{pointer}/{key}", str(bad))
        return otherwise


@cache
def _named() -> re.Pattern[str]:
    return re.compile(NAME)


def _grains(folder: Path, document: dict[str, Any], findings: Findings) -> dict[str, Grain]:
    named: dict[str, Any] = {}
    if (folder / "grains").is_dir():
        for path in sorted(path for path in (folder / "grains").iterdir() if path.is_dir()):
            if _named().fullmatch(path.name):
                named[path.name] = {}
            elif not path.name.startswith(".") and path.name != "__pycache__":
                findings.add(f"grains/{path.name}", "", f"a grain's name is {NAME}")
    named |= {name: own or {} for name, own in (document.get("grains") or {}).items()}
    return {name: _grain(folder, name, own, document, findings) for name, own in sorted(named.items())}


def _grain(folder: Path, name: str, own: dict[str, Any], document: dict[str, Any], findings: Findings) -> Grain:
    defaults = document.get("defaults") or {}
    if own.get("from"):
        findings.add(FILE, f"/grains/{name}/from", "the emulator has no other application to copy a grain from")
        return Grain(name)
    both, pointer = defaults | own, f"/grains/{name}"
    timeout = _quantity(both, "timeout", pointer, 30_000, quantities.millis, findings)
    if not 1 <= timeout <= GRAIN_TIMEOUT_MS:
        findings.add(FILE, f"{pointer}/timeout", f"a timeout is from 1ms to {GRAIN_TIMEOUT_MS}ms, not {timeout}")
    memory = _quantity(both, "memory", pointer, 0, quantities.size, findings)
    if memory and memory < _LEAST_INSTANCE:
        findings.add(FILE, f"{pointer}/memory", f"an instance needs at least {_LEAST_INSTANCE} bytes, not {memory}")
    queue, idle = both.get("queue") or {}, both.get("idle") or {}
    least = idle.get("min", 1)
    most = idle.get("max", max(least, 16))
    if least > most:
        findings.add(FILE, f"{pointer}/idle", f"min {least} is over max {most}")
    entry = both.get("entry", "handler:handle")
    module = entry.partition(":")[0].replace(".", "/")
    home = folder / "grains" / name
    if not (home / f"{module}.py").is_file() and not (home / module / "__init__.py").is_file():
        detail = f"its entry is {entry}, but there is no grains/{name}/{module}.py"
        findings.add(f"grains/{name}", "", detail)
    environment = {**(defaults.get("env") or {}), **(own.get("env") or {})}
    return Grain(
        name, entry, both.get("isolation", "request"), both.get("preload", "auto"), timeout, both.get("concurrency", 100),
        memory, queue.get("depth", 10_000), _quantity(queue, "bytes", f"{pointer}/queue", 64 << 20, quantities.size, findings),
        both.get("maxRequests", 0), tuple((key, _text(value)) for key, value in environment.items()),
        tuple(both.get("secrets") or ()), ProcessReader(document, findings.add).function(both, pointer),
        (least, most),
    )  # fmt: skip


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _workflows(folder: Path, document: dict[str, Any], grains: dict[str, Grain], findings: Findings) -> dict[str, Workflow]:
    named = document.get("workflows") or {}
    files: dict[str, str] = {}
    if (folder / "workflows").is_dir():
        for path in sorted((folder / "workflows").glob(f"*{_SUFFIX}")):
            name = path.name.removesuffix(_SUFFIX)
            if _named().fullmatch(name):
                files[name] = f"workflows/{path.name}"
            else:
                findings.add(f"workflows/{path.name}", "", f"a workflow's name is {NAME}")
    for name, own in named.items():
        file = (own or {}).get("file", f"workflows/{name}{_SUFFIX}")
        # A file that has a name of its own in sand.yaml is not a second workflow under its base name.
        files = {other: path for other, path in files.items() if path != file} | {name: file}
    known = Known(frozenset(grains), frozenset(files), frozenset(document.get("queues") or {}))
    workflows = {}
    for name, file in sorted(files.items()):
        path = (folder / file).resolve()
        pointer = f"/workflows/{name}"
        timeout = _quantity(named.get(name) or {}, "timeout", pointer, WORKFLOW_TIMEOUT_MS, quantities.millis, findings)
        if not path.is_relative_to(folder.resolve()) or not path.is_file():
            findings.add(FILE, f"{pointer}/file", f"there is no file {file}")
            continue
        if path.stat().st_size > FILE_BYTES:
            findings.add(file, "", f"it has {path.stat().st_size} bytes, the limit is {FILE_BYTES}")
            continue
        try:
            definition = path.read_text("utf-8")
        except UnicodeDecodeError:
            findings.add(file, "", "it is not UTF-8")
            continue
        for found, detail in diagnostics(definition, known):
            findings.add(file, found, detail)
        workflows[name] = Workflow(name, definition, timeout)
    return workflows


def _routes(document: dict[str, Any], known: set[str], findings: Findings) -> list[Route]:
    routes = []
    for i, route in enumerate(document.get("routes") or ()):
        if route["target"] not in known:
            findings.add(FILE, f"/routes/{i}/target", f"there is no grain or workflow '{route['target']}'")
        names = [part.strip("{}+") for part in route["path"].split("/") if part.startswith("{")]
        if twice := next((name for name in names if names.count(name) > 1), None):
            detail = f"its parameter '{twice}' is there twice; the handler would see the last alone"
            findings.add(FILE, f"/routes/{i}/path", detail)
        routes.append(Route(route.get("method", "ANY"), route["path"], route["target"]))
    return routes
