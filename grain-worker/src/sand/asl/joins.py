"""Where the runs of a state machine inside a Parallel or a Map meet."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from sand.asl import document, limits, opaque
from sand.asl.definition import Map
from sand.asl.failure import DATA_LIMIT_EXCEEDED, StateError

if TYPE_CHECKING:
    from sand.asl.scopes import Scope
    from sand.asl.visits import Visit


class Join:
    """Where the branches of a Parallel or the iterations of a Map meet: complete when every place has its result."""

    def __init__(self, visit: Visit, size: int | None) -> None:
        """size: None when that is not known yet."""
        self.visit = visit
        self.scopes: dict[int, Scope] = {}
        self.results: dict[int, Any] = {}
        self.size = size
        self.ended = 0
        self.bytes = 2
        self.is_abandoned = False
        self.iterations: Any = None
        """Of a Map: its Iterations."""
        self.run: Any = None
        """Of a distributed Map: its MapRun."""
        self.items_of: dict[int, int] = {}
        """How many items each batch has that has not ended."""
        self.failed = 0
        self.max_items = limits.MAP_ITEMS
        self.files: Any = None
        """Where a distributed Map's results are written: its ResultFiles; None when they are gathered here."""
        self.object_call: dict[str, int] = {}
        """The ids of calls about objects that are open, by "items" and "results"."""
        self.last_end = 0
        """Of an inline Map: the event of the last end of an iteration; 0: none has ended."""
        self.is_exceeded = False
        """More items have failed than may: what is known is written, then the Map fails."""
        self.has_succeeded = False
        """The state has failed with what all of them gave."""
        self.failures: list[tuple[Scope, int]] = []
        """Iterations of a distributed Map that have failed, with how many items each has, as long as they are not too many."""
        self.again: deque[tuple[Scope, int]] = deque()
        """Those that are to run again."""
        self.has_forgotten = False
        self._failure_bytes = 0
        flow = visit.state.flow
        # What nothing will look at is not gathered.
        self._keeps_results = not (flow.result_path is None and flow.result_selector is None and visit.state.assign is None)
        if isinstance(visit.state, Map) and visit.state.distribution and visit.scope.info.quotas.data_bytes is not None:
            self._keeps_results = True  # On AWS the run gathers it all the same.

    def arrive(self, scope: Scope, result: Any) -> None:
        self._end(scope)
        self._keep(scope, result)

    def _keep(self, scope: Scope, result: Any) -> None:
        if not self._keeps_results or self.files is not None:
            return
        self.results[scope.index] = result
        self.bytes += 1 + document.size(result, limits.DOCUMENT_BYTES)
        if self.bytes > limits.DOCUMENT_BYTES:
            name = self.visit.state.name
            message = f"The results that state '{name}' has to join are over the limit of {limits.DOCUMENT_BYTES} bytes"
            raise StateError(DATA_LIMIT_EXCEEDED, message)

    def is_one_too_many(self, scope: Scope, shown: Any) -> bool:
        """An iteration of a distributed Map has failed. shown: what stands for it among the results. Raises StateError when
        these are too large together."""
        count = self._end(scope)
        self.failed += count
        given = (scope.execution_input, None if scope.visit is None else scope.visit.input)
        self._failure_bytes += sum(document.size(each, limits.DOCUMENT_BYTES) for each in given)
        is_full = len(self.failures) == limits.FAILED_ITERATIONS or self._failure_bytes > limits.DOCUMENT_BYTES
        self.has_forgotten = self.has_forgotten or is_full
        if self.has_forgotten:
            self.failures = []
        else:
            self.failures.append((scope, count))
        if self.has_too_many_failed():
            return True
        self._keep(scope, shown)
        return False

    def has_too_many_failed(self) -> bool:
        return bool(self.run.is_exceeded_by(self.failed, self.size))

    def reopen(self) -> None:
        """Its state is redriven: what had not ended goes on, and what had failed."""
        self.is_abandoned = False
        for scope in self.scopes.values():
            scope.reopen()
        if self.run is None:
            return
        self.is_exceeded = False
        for scope, count in self.failures:
            self.ended -= count
            self.failed -= count
            if scope.index in self.results:
                self.bytes -= 1 + document.size(self.results.pop(scope.index), limits.DOCUMENT_BYTES)
        self.again.extend(self.failures)
        self.failures, self._failure_bytes = [], 0
        if self.files is not None:
            self.files.reopen()

    @property
    def is_complete(self) -> bool:
        return self.ended == self.size

    def _end(self, scope: Scope) -> int:
        del self.scopes[scope.index]
        count = self.items_of.pop(scope.index, 1)
        self.ended += count
        return count

    def joined(self) -> list[Any] | opaque.OpaqueJoin:
        """In order; what stands for an iteration that failed, and was tolerated, is among them."""
        results = [self.results[index] for index in sorted(self.results)]
        if self.run is None or self.run.transformation != "FLATTEN":
            return opaque.joined(results)
        inner = map(opaque.inside, results)
        return [part for result in inner for part in (result if isinstance(result, list) else [result])]
