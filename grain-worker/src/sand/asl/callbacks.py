"""Tasks that wait for a callback: what is open because of one attempt, and what ends it.

The grain runs as the step `S`; the callback is awaited as `S>token`; `S>timeout` and `S>heartbeat` are timers, the latter anew
after each heartbeat. The callback ends the state, and the grain may then still finish; a grain that fails before it, and either
timer, fail the state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sand.asl import failure
from sand.asl.messages import AwaitCallback, CallGrain, Cancel, Command, StartTimer
from sand.asl.scopes import Scope
from sand.asl.tokens import STEP

GRAIN, TOKEN, TIMEOUT, HEARTBEAT = "grain", "token", "timeout", "heartbeat"
ERRORS = {TIMEOUT: failure.TIMEOUT, HEARTBEAT: failure.HEARTBEAT_TIMEOUT}


@dataclass(eq=False)
class TokenWait:
    """One attempt. open: the ids that it waits for, by what they are; is_over: its state waits no more."""

    scope: Scope
    step: str
    heartbeat_ms: int
    open: dict[str, int] = field(default_factory=dict)
    heartbeats: int = 0
    is_over: bool = False


class Callbacks:
    """Of one execution. new_id: a number that no call or timer has had; carry_out: takes a command."""

    def __init__(self, new_id: Callable[[], int], carry_out: Callable[[Command], None]) -> None:
        self._new_id = new_id
        self._carry_out = carry_out
        self._waits: dict[int, tuple[TokenWait, str]] = {}

    def begin(self, scope: Scope, call: CallGrain, timeout_ms: int, heartbeat_ms: int, token: str) -> None:
        """call: of the grain; its id is one of ours from now on."""
        wait = scope.token_wait = TokenWait(scope, call.step, heartbeat_ms)
        self._open(wait, GRAIN, call.id, call)
        id = self._new_id()
        self._open(wait, TOKEN, id, AwaitCallback(id, call.step + STEP, token))
        if timeout_ms:
            id = self._new_id()
            self._open(wait, TIMEOUT, id, StartTimer(id, f"{call.step}>timeout", timeout_ms, "timeout"))
        self._start_heartbeat(wait)

    def _open(self, wait: TokenWait, what: str, id: int, command: Command) -> None:
        wait.open[what] = id
        self._waits[id] = (wait, what)
        self._carry_out(command)

    def find(self, id: int) -> tuple[TokenWait, str] | None:
        return self._waits.get(id)

    def ids(self) -> list[int]:
        return list(self._waits)

    def clear(self) -> None:
        for wait, _ in self._waits.values():
            wait.scope.token_wait = None
        self._waits.clear()

    def closed(self, id: int) -> None:
        """Its signal has come."""
        wait, what = self._waits.pop(id)
        del wait.open[what]

    def beat(self, wait: TokenWait) -> None:
        """The heartbeat time begins anew."""
        self._cancel(wait, HEARTBEAT)
        self._start_heartbeat(wait)

    def _start_heartbeat(self, wait: TokenWait) -> None:
        if wait.heartbeat_ms:
            wait.heartbeats += 1
            number = "" if wait.heartbeats == 1 else f"#{wait.heartbeats}"
            id = self._new_id()
            self._open(wait, HEARTBEAT, id, StartTimer(id, f"{wait.step}>heartbeat{number}", wait.heartbeat_ms, "heartbeat"))

    def end(self, wait: TokenWait, is_answered: bool) -> None:
        """The state waits no more. is_answered: the grain may finish what it is at; else it is cancelled like the rest."""
        wait.is_over = True
        wait.scope.token_wait = None
        for what in (TOKEN, TIMEOUT, HEARTBEAT) if is_answered else (TOKEN, TIMEOUT, HEARTBEAT, GRAIN):
            self._cancel(wait, what)

    def _cancel(self, wait: TokenWait, what: str) -> None:
        id = wait.open.pop(what, None)
        if id is not None:
            del self._waits[id]
            self._carry_out(Cancel(id))
