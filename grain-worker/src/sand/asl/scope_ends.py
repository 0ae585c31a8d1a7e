"""What a scope's end means: the execution's own, or a place that a branch or an iteration takes in what it joins."""

from __future__ import annotations

from typing import Any, Protocol

from sand.asl import definition as asl
from sand.asl import document
from sand.asl.failure import RUNTIME, StateError
from sand.asl.joins import Join
from sand.asl.pending import Pending
from sand.asl.scopes import Scope
from sand.asl.steps import Failed

_ABORTED = (asl.Task, asl.Wait, asl.Parallel, asl.Map)
"""States that last, and so are in a history as aborted."""


class Kernel(Protocol):
    """What it needs of an execution."""

    def resume(self, scope: Scope, value: Any) -> None: ...

    def throw(self, scope: Scope, error: Exception) -> None: ...

    def end(self, status: str, output: Any, error: str | None, cause: str | None) -> None: ...


class ScopeEnds:
    def __init__(self, kernel: Kernel, pending: Pending) -> None:
        self._kernel = kernel
        self._pending = pending

    def succeeded(self, scope: Scope, output: Any) -> None:
        scope.close()
        join = scope.join
        if join is None:
            try:
                self._kernel.end("SUCCEEDED", document.checked(output), None, None)
            except StateError as e:
                self._kernel.end("FAILED", None, e.error, e.cause)
            return
        try:
            if join.iterations is not None:
                join.iterations.succeeded(scope, output)
                return
            join.visit.scope.last_event = scope.last_event
            join.arrive(scope, output)
        except StateError as e:
            self._fail(join, Failed(e.error, e.cause))
            return
        if join.is_complete:
            join.is_abandoned = True
            self._kernel.resume(join.visit.scope, join.joined())

    def failed(self, scope: Scope, failed: Failed) -> None:
        if scope.join is None:
            self._kernel.end("FAILED", None, failed.error, failed.cause)  # it stays open: the execution may be redriven
            return
        scope.suspend()
        if scope.join.run is None:
            outer = scope.join.visit.scope
            outer.last_event = scope.last_event
            if failed.error != RUNTIME:  # what ends the whole execution is told once
                _tell_iteration(outer, scope, "Failed")
                if scope.visit is not None and isinstance(scope.visit.state, asl.Task):
                    outer.aside("TaskStateAborted")
                _tell_aborted(outer, scope.join)
            self._fail(scope.join, Failed(failed.error, failed.cause, True))
        else:
            try:
                scope.join.iterations.failed(scope, failed)
            except StateError as e:
                self._fail(scope.join, Failed(e.error, e.cause))

    def full(self, scope: Scope, failed: Failed) -> None:
        """Of an iteration of a distributed Map, whose own history is: it fails, whatever its states would catch."""
        self._pending.abandon(scope)
        if scope.joining is not None:
            self.abandon(scope.joining)
        self.failed(scope, failed)

    def _fail(self, join: Join, error: Exception) -> None:
        self.abandon(join)
        self._kernel.throw(join.visit.scope, error)

    def abandon(self, join: Join) -> None:
        """It is moot: nobody waits for what still runs below it. Where its state fails, a redrive goes on with it."""
        join.is_abandoned = True
        join.visit.left = None if join.has_forgotten else join
        self.abandon_below(join)
        self._pending.withdraw(join.object_call.pop("results", None))
        if join.files is not None:
            join.files.give_back()

    def abandon_below(self, join: Join) -> None:
        """What the join still waits for runs no more."""
        self._pending.withdraw(join.object_call.pop("items", None))
        for scope in join.scopes.values():
            if scope.is_closed:
                continue
            scope.suspend()
            self._pending.abandon(scope)
            if scope.joining is not None:
                self.abandon(scope.joining)
            if join.run is not None:
                scope.event("ExecutionAborted")


def _tell_iteration(outer: Scope, scope: Scope, end: str) -> None:
    """How an iteration of an inline Map ended, which no event follows; outer: the scope of the Map, or one around it."""
    join = scope.join
    if join is not None and join.iterations is not None:
        outer.aside(f"MapIteration{end}", lambda: {"name": join.visit.state.name, "index": scope.index})


def _tell_aborted(outer: Scope, join: Join) -> None:
    """What still runs beside a branch or an iteration that failed; outer: the scope whose state fails with it."""
    for scope in join.scopes.values():
        if scope.is_closed:
            continue
        _tell_iteration(outer, scope, "Aborted")
        if scope.next is None and scope.visit is not None and isinstance(scope.visit.state, _ABORTED):
            outer.aside(f"{type(scope.visit.state).__name__}StateAborted")
        if scope.joining is not None and scope.joining.run is None:
            _tell_aborted(outer, scope.joining)
