"""What scopes yield while they run, and what an execution does for them."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Protocol

from sand.asl import definition as asl
from sand.asl.failure import bounded
from sand.asl.joins import Join
from sand.asl.platform_services import SendMessage, StartWorkflow
from sand.asl.scopes import Scope
from sand.asl.visits import Visit


class Failed(Exception):
    """A state, or the scope that it is in, fails by a name of the workflow's. Error and cause are bounded here, once, so that
    all who are told of it are told the same."""

    def __init__(self, error: str | None, cause: str | None, is_branch_failure: bool = False) -> None:
        self.error, self.cause = bounded(error, cause)
        super().__init__(self.cause)
        self.is_branch_failure = is_branch_failure


@dataclass(frozen=True, slots=True)
class Call:
    visit: Visit
    task: asl.Task
    grain: str
    input: Any
    timeout_ms: int
    heartbeat_ms: int = 0
    service: StartWorkflow | SendMessage | None = None


@dataclass(frozen=True, slots=True)
class Timer:
    visit: Visit
    step: str
    delay_ms: int
    purpose: str


NEXT = object()
Steps = Generator[Any, Any, Any]


class Kernel(Protocol):
    """What the interpreter needs of an execution."""

    def tell(self, kind: str, visit: Visit, **detail: Any) -> None: ...

    def open_scope(self, scope: Scope, input: Any) -> None: ...

    def go_on_with(self, scope: Scope) -> None: ...

    def open_items(self, join: Join, state: asl.Map, items: Any, data: Any, concurrency: int) -> None:
        """items: an array, an object, or the Source of those that are read."""
