"""The iterations of a Map: their starts, and what becomes of their ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from sand.asl import data_limit, document, events, failure, flow, iteration_records, limits
from sand.asl import definition as asl
from sand.asl.distribution import EXCEEDED, MapRun
from sand.asl.failure import StateError, runtime
from sand.asl.joins import Join
from sand.asl.map_items import Items
from sand.asl.messages import Command, ReadItems, WriteObject
from sand.asl.objects import ItemFault, Source
from sand.asl.opaque import inside
from sand.asl.pending import Answer
from sand.asl.results import FAILED, PENDING, SUCCEEDED
from sand.asl.scopes import Info, Scope
from sand.asl.steps import Failed


class Kernel(Protocol):
    """What iterations need of their execution."""

    def queue(self, work: Callable[[], None], is_first: bool = False) -> None: ...

    def ask(self, command: Command, answer: Answer) -> None: ...

    def new_id(self) -> int: ...

    def open_scope(self, scope: Scope, input: Any) -> None: ...

    def abandon(self, join: Join) -> None: ...

    def abandon_below(self, join: Join) -> None: ...

    def resume(self, scope: Scope, value: Any) -> None: ...

    def throw(self, scope: Scope, error: Exception) -> None: ...

    def go_on_with(self, scope: Scope) -> None: ...


def open_items(kernel: Kernel, info: Info, join: Join, state: asl.Map, items: Any, data: Any, concurrency: int) -> None:
    """Starts a Map's iterations, one after the other, as many at once as may be. items: see `steps.Kernel`."""
    running = Iterations(kernel, info, join, state, data, concurrency)
    join.iterations = running
    if isinstance(items, Source):
        running.read(items)
        return
    pairs = items.items() if isinstance(items, dict) else ((None, value) for value in items)
    running.begin(Items(iter(pairs), None if join.run is None else "STATE_DATA"))


class Iterations:
    """Of one attempt of a Map."""

    def __init__(self, kernel: Kernel, info: Info, join: Join, state: asl.Map, data: Any, concurrency: int) -> None:
        self._kernel = kernel
        self._info = info
        self._join = join
        self._state = state
        self._data = data
        self._concurrency = concurrency
        self._items = Items(iter(()), None)
        self._begun = 0
        self._is_starting = False
        self._calls = 0
        self._source: Source | None = None
        self._unread: Source | None = None
        """Where items are that could not be read, or not yet."""

    # --- items

    def read(self, source: Source) -> None:
        self._source = self._unread = source

        def answer(items: Any, failed: Failed | None) -> None:
            if failed is not None:
                self._fail(Failed(failure.ITEM_READER_FAILED, failed.cause))
            else:
                self._unread = None
                taken = self._items.taken
                at_once = limits.LISTED_KEYS if source.format is None else limits.CHUNK_ITEMS
                self.begin(Items(items, source.shown, taken, self._join.max_items, at_once))

        self._call("items", lambda id, step: ReadItems(id, step, source), answer)

    def _call(self, kind: str, command: Callable[[int, str], Command], answer: Answer) -> None:
        join, id = self._join, self._kernel.new_id()
        self._calls += 1
        join.object_call[kind] = id

        def answered(result: Any, failed: Failed | None) -> None:
            del join.object_call[kind]
            answer(result, failed)

        self._kernel.ask(command(id, f"{join.visit.step}>{kind}#{self._calls}"), answered)

    def begin(self, items: Items) -> None:
        self._items = items
        if self._join.is_complete:  # There are none.
            self._end()
        else:
            self.start_next()

    def go_on(self) -> None:
        """Of a Map that is redriven."""
        self._is_starting = False
        if self._join.run is None:
            self.start_next()
        elif self._unread is not None:
            self.read(self._unread)
        else:
            self._kernel.queue(self._go_on)

    def go_on_with(self, scope: Scope) -> None:
        """An iteration of a distributed Map that is open again: where it had stopped; an Express execution begins anew."""
        count = self._info.redrives
        scope.event("ExecutionRedriven", lambda: {"redriveCount": count})
        if self._join.run.is_express:
            scope.forget()
            self._kernel.open_scope(scope, scope.execution_input)
        else:
            self._kernel.go_on_with(scope)

    def start_next(self) -> None:
        """Queues the start of the next iteration, if one may start."""
        join = self._join
        may = len(join.scopes) < self._concurrency and not join.is_exceeded and not (join.files and join.files.is_behind)
        if self._is_starting or not may:
            return
        if join.again:
            self._is_starting = True
            self._kernel.queue(self._start_again)
            return
        if "items" in join.object_call:
            return
        try:
            has_more = self._items.has(0)
            if self._items.count > limits.MAP_ITEMS:
                join.has_forgotten = True  # So that a redrive finds it again.
                raise runtime(f"The array has more than {limits.MAP_ITEMS} items; a Map takes {limits.MAP_ITEMS}")
        except StateError as e:
            self._fail(e)
            return
        except ItemFault as e:
            self._fail_reading(e)
            return
        is_news = join.size is None and self._items.are_all_known
        if is_news and self._has_exceeded():
            self._exceed()
        elif has_more:
            self._is_starting = True
            # Of an inline Map all that may start have started before a state of any is entered, as on AWS.
            self._kernel.queue(self._start, is_first=join.run is None)
        elif is_news and join.is_complete:
            self._end()

    def _has_exceeded(self) -> bool:
        """All items are known: too many of them may have failed."""
        self._join.size = self._items.count
        return bool(self._join.has_too_many_failed())

    def _start_again(self) -> None:
        join = self._join
        if join.is_abandoned or join.is_exceeded or join.visit.scope.is_closed:
            return
        self._is_starting = False
        scope, count = join.again.popleft()
        join.scopes[scope.index] = scope
        join.items_of[scope.index] = count
        scope.reopen()
        self.start_next()
        self.go_on_with(scope)

    def _start(self) -> None:
        join = self._join
        if join.is_abandoned or join.is_exceeded or join.visit.scope.is_closed:
            return
        index, self._is_starting = self._begun, False
        self._begun += 1
        self._info.budget.renew()
        machine = self._state.processor
        try:
            if join.run is None:
                started = self._event("MapIterationStarted", index)
                scope = Scope(self._info, machine, join, index, self._items.shown(0))
                scope.last_event = started
                given = self._selected(0, scope)
                self._items.take(1)
            else:
                given, count = self._batch(join.run)
                if join.size is None and self._items.are_all_known and self._has_exceeded():
                    self._begun = index
                    self._exceed()
                    return
                join.items_of[index] = count
                item = None if join.run.is_batched else self._items.shown(0)
                scope = Scope(self._info, machine, join, index, item, given)
                scope.started(given)
                self._items.take(count)
        except StateError as e:
            self._begun = index
            self._fail(e)
            return
        except ItemFault as e:
            self._begun = index
            self._fail_reading(e)
            return
        join.scopes[index] = scope
        self.start_next()
        self._kernel.open_scope(scope, given)

    def _selected(self, ahead: int, iteration: Scope) -> Any:
        key, value = self._items.at(ahead)
        if self._state.item_selector:
            given = flow.filled(self._state.item_selector, self._join.visit.of_item(iteration, self._data))
            return data_limit.checked(self._join.visit, given)
        return document.checked(value if key is None else {"Key": key, "Value": value})

    def _select(self, ahead: int) -> Any:
        """The ItemSelector of a distributed Map sees an item in the Map's own execution."""
        at = self._items.taken + ahead
        return self._selected(ahead, Scope(self._info, self._state.processor, self._join, at, self._items.shown(ahead)))

    def _batch(self, run: MapRun) -> tuple[Any, int]:
        """An iteration's input, and how many items it takes: one at least, however large."""
        if not run.is_batched:
            return self._select(0), 1
        items: list[Any] = []
        size = len(document.write(run.batch_of([])).encode("utf-8", "replace"))
        while (run.items_per_batch is None or len(items) < run.items_per_batch) and self._items.has(len(items)):
            item = self._select(len(items))
            size += len(document.write(item).encode("utf-8", "replace")) + (1 if items else 0)
            if items and run.bytes_per_batch is not None and size > run.bytes_per_batch:
                break
            if size > limits.DOCUMENT_BYTES and items:
                cause = f"The items of one batch are over the limit of {limits.DOCUMENT_BYTES} bytes"
                raise StateError(failure.DATA_LIMIT_EXCEEDED, cause)
            items.append(item)
        return document.checked(run.batch_of(items)), len(items)

    # --- ends

    def succeeded(self, scope: Scope, output: Any) -> None:
        """Raises StateError when the results are too large."""
        join, run = self._join, self._join.run
        if run is None:
            join.visit.scope.last_event = scope.last_event
            join.last_end = self._event("MapIterationSucceeded", scope.index)
        else:
            scope.event("ExecutionSucceeded", lambda: events.value("output", output))
        if run is not None and run.transformation == "NONE":
            output = document.checked(iteration_records.succeeded(join, scope, output))
        if join.files is not None:
            is_flat = run.transformation == "FLATTEN" and isinstance(output, list)
            try:
                results = output if is_flat else [inside(output)]
            except StateError as e:
                self._fail(e)
                return
            for result in results:
                join.files.add(SUCCEEDED, result)
        join.arrive(scope, output)
        if join.files is not None:
            self._write()
        self._go_on()

    def failed(self, scope: Scope, failed: Failed) -> None:
        """Of a distributed Map, whose iterations fail alone."""
        join = self._join
        scope.event("ExecutionFailed", lambda: events.failed(failed.error, failed.cause))
        if join.run.writer is None:
            record = iteration_records.failure(failed.error, failed.cause)
        else:
            record = iteration_records.failed(join, scope, "FAILED", failed.error, failed.cause)
        if join.files is not None:
            join.files.add(FAILED, record)
            self._write()
        if join.is_one_too_many(scope, record):
            self._exceed()
        else:
            self._go_on()

    def _event(self, kind: str, index: int) -> int:
        visit = self._join.visit
        return visit.scope.aside(kind, lambda: {"name": visit.state.name, "index": index})

    def _go_on(self) -> None:
        if self._join.is_complete:
            self._end()
        else:
            self.start_next()

    def _exceed(self) -> None:
        """More items have failed than may. What is known of the iterations is written before the Map fails with it."""
        join = self._join
        if join.files is None:
            self._fail_exceeded()
            return
        join.is_exceeded = True
        running = list(join.scopes.values())
        self._kernel.abandon_below(join)
        for scope in running:
            join.files.add(FAILED, iteration_records.failed(join, scope, "ABORTED", None, None))
        for ahead in range(limits.CHUNK_ITEMS):
            if not self._items.is_known(ahead):
                break
            join.files.add(PENDING, iteration_records.pending(join, self._begun + ahead, self._items.at(ahead)[1]))
        self._end()

    def _fail_exceeded(self) -> None:
        self._fail(Failed(failure.EXCEED_TOLERATED_FAILURE_THRESHOLD, EXCEEDED, True))

    def _end(self) -> None:
        """No iteration is to end any more."""
        join = self._join
        if join.files is None:
            try:
                results = join.joined()
            except StateError as e:
                self._fail(e)
                return
            join.is_abandoned = True
            self._kernel.resume(join.visit.scope, results)
        else:
            join.files.close()
            self._write()

    def _write(self) -> None:
        """Results leave a piece after the other."""
        join = self._join
        if "results" in join.object_call:
            return
        piece = join.files.poll()
        if piece is not None:
            self._call("results", lambda id, step: WriteObject(id, step, piece), self._on_written)

    def _on_written(self, result: Any, failed: Failed | None) -> None:
        join = self._join
        if failed is not None:
            self._fail(Failed(failure.RESULT_WRITER_FAILED, failed.cause))
            return
        self._write()
        if "results" in join.object_call:
            self.start_next()
        elif join.is_exceeded:
            self._fail_exceeded()
        elif join.is_complete:
            join.is_abandoned = True
            self._kernel.resume(join.visit.scope, join.files.details())
        else:
            self.start_next()

    def _fail_reading(self, fault: ItemFault) -> None:
        self._unread = self._source
        self._fail(Failed(failure.ITEM_READER_FAILED, str(fault)))

    def _fail(self, error: Exception) -> None:
        self._kernel.abandon(self._join)
        self._kernel.throw(self._join.visit.scope, error)
