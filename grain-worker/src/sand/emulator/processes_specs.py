"""`processes:` of sand.yaml and `process:` of a grain, with every default filled in, by the rules of the frontend's readers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sand.emulator import quantities
from sand.emulator.sand_yaml import FILE, Add

# Of a process.
ID = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}")
LEAST_SANDBOX = 64 << 20
_LEAST_MEMORY = 1 << 20
# The least time that Linux gives a container: 1 ms of each 100.
_LEAST_CPUS, _MOST_CPUS = 0.01, 1024
# Of state in all, where nothing is said.
STATE = 1 << 30
_IMAGE = re.compile("[a-z0-9][A-Za-z0-9._/:@-]{0,254}")
_PACKAGE = re.compile("[a-z0-9][a-z0-9+.-]{0,126}[a-z0-9+.]")
STANDARD, MULTI_SOURCE, BATCH = "standard", "multi-source", "batch"


@dataclass(frozen=True)
class FunctionSpec:
    """When messages for a function make an invocation of it (PraaS, Table 3), and when its sends count.

    :param count: messages of an invocation
    :param timeout_ms: after which it is invoked with what is there; 0: never
    """

    trigger: str = STANDARD
    count: int = 1
    timeout_ms: int = 0
    atomic: bool = False


@dataclass(frozen=True)
class Dedicated:
    """A sandbox of a process's own. The emulator has none: it runs in the application's, and says what it would have.

    :param memory: bytes, as :param cpus: and :param pids: 0: as the application's
    """

    memory: int = 0
    cpus: float = 0
    pids: int = 0
    image: str | None = None
    packages: tuple[str, ...] = ()

    def shown(self, sandbox: dict[str, Any], memory: int) -> dict[str, Any]:
        """:param sandbox: that of sand.yaml, whose :param memory: is in bytes"""
        limits = {
            "memoryBytes": self.memory or memory,
            "cpus": float(self.cpus or sandbox.get("cpus", 0)),
            "pids": self.pids or sandbox.get("pids", 512),
        }
        base = {"image": self.image, "packages": list(self.packages) or None}
        return limits | {name: value for name, value in base.items() if value is not None}


class Wrong(ValueError):
    """What is wrong with a value, for people. :ivar field: of it, if it is one's"""

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


def dedicated(said: Any) -> Dedicated | None:
    """None: it is not, or nothing is said. :raises Wrong:"""
    if said is None or said is False:
        return None
    if said is True:
        return Dedicated()
    names = ("memory", "cpus", "pids", "image", "packages")
    _require(isinstance(said, dict), "it is true, or an object with memory, cpus, pids, image and packages")
    for name in said.keys() - set(names):
        raise Wrong(f"it has no '{name}', but memory, cpus, pids, image and packages")
    memory, cpus, pids, image, packages = (said.get(name) for name in names)
    size = 0 if memory is None else _sandbox_memory(memory)
    number = isinstance(cpus, (int, float, Decimal)) and not isinstance(cpus, bool)  # a fraction in a request is a Decimal
    is_cpus = cpus is None or (number and (cpus == 0 or _LEAST_CPUS <= float(cpus) <= _MOST_CPUS))
    _require(is_cpus, f"cpus is 0, or a number from {_LEAST_CPUS} to {_MOST_CPUS}", "cpus")
    _require(pids is None or (type(pids) is int and 16 <= pids <= 32768), "pids is a number from 16 to 32768", "pids")
    is_image = image is None or (isinstance(image, str) and bool(_IMAGE.fullmatch(image)))
    _require(is_image, "image is the name of an image", "image")
    packages = [] if packages is None else packages
    _require(isinstance(packages, list) and len(packages) <= 100, "packages is a list of at most 100 names", "packages")
    for each in packages:
        is_package = isinstance(each, str) and bool(_PACKAGE.fullmatch(each))
        _require(is_package, f"'{each}' is no name of a package", "packages")
    return Dedicated(size, float(cpus or 0), pids or 0, image, tuple(packages))


def _sandbox_memory(said: Any) -> int:
    try:
        if isinstance(said, bool) or not isinstance(said, (int, str)):
            raise ValueError(f"{json.dumps(said, default=str)} is not a size like 512MiB, 64KiB or 1GiB")
        size = quantities.size(said)
    except ValueError as bad:
        raise Wrong(str(bad), "memory") from None
    least = f"a sandbox needs at least {LEAST_SANDBOX} bytes of memory, not {size}"
    _require(size == 0 or size >= LEAST_SANDBOX, least, "memory")
    return size


def memory_of(said: Any) -> int:
    """Bytes of a process's state. :raises ValueError: with what is wrong, for people"""
    memory = quantities.size(said)
    needs = f"a process needs at least {_LEAST_MEMORY} bytes of memory for its state, not {memory}"
    _require(memory >= _LEAST_MEMORY, needs)
    return memory


def _require(holds: bool, otherwise: str, field: str | None = None) -> None:
    if not holds:
        raise Wrong(otherwise, field)


@dataclass(frozen=True)
class ProcessSpec:
    """What each cloud process of an application may have; sizes in bytes, times in milliseconds.

    :param concurrency: functions at once, :param queue: invocations that wait
    :param messages: that are unread, of :param bytes: in all
    :param memory: of state that a host has in memory; a value has to fit into it. The emulator has all of it there
    :param state: in all; 0: nothing is said, see `most_state`
    :param idle_ms: without any function, until it is idle, :param swap_after_ms: that it is idle, until it is swapped out
    """

    concurrency: int = 4
    queue: int = 1_000
    messages: int = 10_000
    bytes: int = 64 << 20
    memory: int = 256 << 20
    idle_ms: int = 1_000
    swap_after_ms: int = 600_000
    dedicated: Dedicated | None = None
    state: int = 0

    def most_state(self, memory: int) -> int:
        """Bytes of a process's state in all. :param memory: of that process"""
        return max(memory, self.state or STATE)


class ProcessReader:
    def __init__(self, document: dict[str, Any], add: Add) -> None:
        self._document = document
        self._add = add

    def processes(self) -> ProcessSpec:
        node = self._document.get("processes") or {}
        mailbox, at = node.get("mailbox") or {}, "/processes"
        memory = self._quantity(node, "memory", at, ProcessSpec.memory, memory_of)
        state = self._quantity(node, "state", at, ProcessSpec.state, quantities.size)
        if node.get("state") is not None and state < memory:
            wrong = f"all of a process's state is not less than what it has in memory, {memory} bytes"
            self._add(FILE, f"{at}/state", wrong)
        return ProcessSpec(
            node.get("concurrency", ProcessSpec.concurrency),
            node.get("queue", ProcessSpec.queue),
            mailbox.get("messages", ProcessSpec.messages),
            self._quantity(mailbox, "bytes", at + "/mailbox", ProcessSpec.bytes, quantities.size),
            memory,
            self._quantity(node, "idle", at, ProcessSpec.idle_ms, quantities.millis),
            self._quantity(node, "swap_after", at, ProcessSpec.swap_after_ms, quantities.millis),
            self._dedicated(node.get("dedicated"), at),
            state,
        )

    def _dedicated(self, said: Any, at: str) -> Dedicated | None:
        try:
            return dedicated(said)
        except ValueError as bad:
            self._add(FILE, f"{at}/dedicated", str(bad))
            return None

    def function(self, node: dict[str, Any], pointer: str) -> FunctionSpec:
        """:param node: a grain's keys, those of `defaults:` among them"""
        own = node.get("process") or {}
        trigger, at = own.get("trigger") or {}, f"{pointer}/process/trigger"
        count = trigger.get("count", 1)
        most = ((self._document.get("processes") or {}).get("mailbox") or {}).get("messages", ProcessSpec.messages)
        if count > most:
            self._add(FILE, f"{at}/count", f"a mailbox has room for {most} messages: {count} are never there")
        timeout = self._quantity(trigger, "timeout", at, 0, quantities.millis)
        return FunctionSpec(trigger.get("type", STANDARD), count, timeout, own.get("atomic", False))

    def _quantity(self, node: dict[str, Any], key: str, at: str, otherwise: int, parse: Callable[[Any], int]) -> int:
        if node.get(key) is None:
            return otherwise
        try:
            return parse(node[key])
        except ValueError as bad:
            self._add(FILE, f"{at}/{key}", str(bad))
            return otherwise
