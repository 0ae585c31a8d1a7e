"""The second argument of a handler."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from sand import values
from sand.connection import Connection
from sand.errors import NotFound, TooLarge, UnknownGrain
from sand.logs import Logger
from sand.messages import (
    DataAddRequest,
    DataDeleteRequest,
    DataGetRequest,
    DataListRequest,
    DataPutRequest,
    EnqueueRequest,
    EventMessage,
    GrainConfiguration,
    Publication,
    PublishRequest,
)
from sand.objects import Objects
from sand.protocol import (
    DATA_ADD,
    DATA_DELETE,
    DATA_GET,
    DATA_LIST,
    DATA_PUT,
    ENQUEUE,
    PUBLISH,
)
from sand.tables import Lock, Table

if TYPE_CHECKING:
    from collections.abc import Collection

    from sand.messages import Payload
    from sand.platform import Platform
    from sand.process import Process

PUBLICATIONS = 1000
# Publications that fit in the frame of finish; more are sent ahead, and the host agent keeps them until finish.
_KEPT_BYTES = 256 * 1024
_logger = Logger()


class Context:
    """What the platform tells a handler about its invocation, and does for it.

    `invocation_id` names the event (the same in every attempt), `execution_id` the request or workflow run that it
    belongs to; `deadline` is in seconds since the epoch, as time.time() counts.
    """

    __slots__ = (
        "_configuration", "_connection", "_deadline_ns", "_enqueued", "_kept_bytes", "_process", "_published", "_sent",
        "_told", "_writes", "application", "attempt", "execution_id", "grain", "invocation_id", "segments", "traceparent",
        "version",
    )  # fmt: skip

    def __init__(
        self, configuration: GrainConfiguration, connection: Connection, segments: Any, event: EventMessage, now_ns: int
    ) -> None:
        self.application = configuration.application
        self.grain = configuration.grain
        self.version = configuration.version
        self.execution_id = event.execution_id
        self.invocation_id = event.event_id
        self.attempt = event.attempt
        self.traceparent = event.traceparent
        self.segments = segments
        self._configuration = configuration
        self._connection = connection
        self._deadline_ns = now_ns + event.remaining_ms * 1_000_000
        self._published: list[Publication] = []
        self._kept_bytes = 0
        self._sent = 0
        self._enqueued = 0
        self._process: Any = event.process
        self._told = event.state
        self._writes: Collection[tuple[str, Payload | None]] | None = None

    def remaining_ms(self) -> int:
        """Until this attempt is killed."""
        return max(0, (self._deadline_ns - time.monotonic_ns()) // 1_000_000)

    @property
    def deadline(self) -> float:
        return time.time() + (self._deadline_ns - time.monotonic_ns()) / 1e9

    @property
    def logger(self) -> Logger:
        return _logger

    @property
    def env(self) -> dict[str, str]:
        """The variables that sand.yaml sets for the grain; they are in os.environ too."""
        return dict(self._configuration.environment)

    def secret(self, name: str) -> str:
        """:raises NotFound: the grain's sand.yaml does not name it, nobody has set it, or it cannot be opened"""
        value = (self._configuration.secrets or {}).get(name)
        if value is None:
            if why := (self._configuration.unopened or {}).get(name):
                raise NotFound(f"secret {name} of application {self.application} cannot be opened: {why}")
            raise NotFound(f"no secret {name} for grain {self.grain}: name it under 'secrets', and set it (sand secrets set)")
        return value

    @property
    def data(self) -> Data:
        return Data(self)

    @property
    def process(self) -> Process | None:
        """The cloud process that the function runs in; None: it runs in none. See process.py."""
        if type(self._process) is str:
            from sand.process import Process

            self._process = Process(self, self._process)
        return self._process

    @property
    def platform(self) -> Platform:
        """The platform's own operations, for an application that the operator has given a capability; see platform.py."""
        from sand.platform import Platform

        return Platform(self._connection)

    def publish(self, grain: str, payload: Any) -> None:
        """An event for another grain of the application. It takes effect when this attempt finishes, or not at all.

        :raises UnknownGrain: the application has no such grain
        :raises TooLarge: more than PUBLICATIONS of one attempt
        """
        if grain not in self._configuration.grains:
            known = ", ".join(sorted(self._configuration.grains))
            raise UnknownGrain(f"application {self.application} has no grain {grain}; it has {known}")
        if self._sent + len(self._published) >= PUBLICATIONS:
            raise TooLarge(f"an attempt publishes at most {PUBLICATIONS} events")
        encoded = values.encode(payload, self.invocation_id, f"the payload published to {grain}", self.segments)
        self._published.append(Publication(grain, encoded))
        self._kept_bytes += len(encoded.bytes or b"") + 128
        if self._kept_bytes > _KEPT_BYTES:
            self._send_ahead()

    def enqueue(self, queue: str, payload: Any, group: str | None = None) -> str:
        """A message for a queue of the application, which is kept once this returns, whatever becomes of this attempt. A
        further attempt that sends the same messages in the same order does not send them twice. The message's id.

        :param group: messages of one group are worked on in order
        :raises BusError: Sand.BadRequest: no such queue; Sand.Overloaded: it is full; Sand.TooLarge: over 256 KiB;
            Sand.Unavailable: the global bus has not taken it in 5 s, or in half of what the attempt has left; the message may
            be in the queue all the same
        """
        encoded = values.encode(payload, self.invocation_id, f"the message for {queue}", self.segments)
        number = self._enqueued
        self._enqueued += 1
        request = EnqueueRequest(self.invocation_id, number, queue, encoded, group, self.remaining_ms())
        return self._connection.call(ENQUEUE, request)

    def _send_ahead(self) -> None:
        for publication in self._published:
            self._connection.call(PUBLISH, PublishRequest(self.invocation_id, self.attempt, publication))
        self._sent += len(self._published)
        self._published.clear()
        self._kept_bytes = 0


class Data:
    """`context.data`: the application's shared values. Keys are text; values are JSON, bytes or arrays, as results are."""

    __slots__ = ("_connection", "_context")

    def __init__(self, context: Context) -> None:
        self._context = context
        self._connection = context._connection

    def get(self, key: str, default: Any = None) -> Any:
        return self.versioned(key, default)[0]

    def versioned(self, key: str, default: Any = None) -> tuple[Any, int]:
        """Value and version; version 0 and the default when there is none. The version is for `put(…, if_version=…)`."""
        found = self._connection.call(DATA_GET, DataGetRequest(key))
        if found.value is None:
            return default, found.version
        return values.decode(found.value, self._context.segments), found.version

    def put(self, key: str, value: Any, if_version: int | None = None) -> int:
        """The new version.

        :param if_version: the version that the value must have now; 0: there must be none
        :raises Conflict: it has another
        """
        context = self._context
        encoded = values.encode(value, context.invocation_id, f"the value for {key}", context.segments)
        return self._connection.call(DATA_PUT, DataPutRequest(key, encoded, if_version))

    def delete(self, key: str, if_version: int | None = None) -> bool:
        """Whether there was one."""
        return self._connection.call(DATA_DELETE, DataDeleteRequest(key, if_version))

    def list(self, prefix: str = "", after: str | None = None, limit: int = 1000) -> list[str]:
        """Keys in byte order, at most `limit`; the next page is after the last one."""
        return [*self._connection.call(DATA_LIST, DataListRequest(prefix, after, limit)).keys]

    def table(self, partition: str = "main") -> Table:
        """Linearizable values with conditions, transactions, lists, maps, sets and counters; see tables.py."""
        return Table(self._context, partition)

    def lock(self, name: str, seconds: float = 30, wait: float = 0, partition: str = "main") -> Lock:
        """A timed lock, to be used in a `with` statement; see tables.py.

        :param seconds: how long it may be held without a renewal
        :param wait: how long to wait for whoever holds it
        """
        return Lock(Table(self._context, partition), name, seconds, wait)

    @property
    def objects(self) -> Objects:
        """Large values with ranges; see objects.py."""
        return Objects(self._context)

    def counter(self, key: str, delta: int = 1) -> int:
        """Adds atomically and returns the new value; one that does not exist counts as 0."""
        return self._connection.call(DATA_ADD, DataAddRequest(key, delta))
