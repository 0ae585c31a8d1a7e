"""A receiver of OTLP over HTTP: keeps the spans that it is sent. Protobuf is read by hand, as far as spans need it."""

import gzip
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Span:
    trace_id: str
    span_id: str
    parent_id: str
    name: str
    kind: int
    started_ns: int
    ended_ns: int
    attributes: dict[str, Any]
    failed: bool


class Receiver:
    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.services: set[str] = set()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                if self.path == "/v1/traces":
                    outer.take(body)
                self.send_response(200)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def take(self, body: bytes) -> None:
        """ExportTraceServiceRequest: resource_spans=1 {resource=1 {attributes=1}, scope_spans=2 {spans=2}}."""
        for _, resource_spans in fields(body, 1):
            for _, resource in fields(resource_spans, 1):
                self.services.add(attributes(resource, 1).get("service.name", ""))
            for _, scope_spans in fields(resource_spans, 2):
                self.spans += [span(one) for _, one in fields(scope_spans, 2)]

    def of(self, trace_id: str) -> list[Span]:
        return [one for one in list(self.spans) if one.trace_id == trace_id]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def span(data: bytes) -> Span:
    values: dict[int, Any] = dict(fields(data))
    status = dict(fields(values.get(15, b"")))
    return Span(
        trace_id=values[1].hex(),
        span_id=values[2].hex(),
        parent_id=values.get(4, b"").hex(),
        name=values[5].decode(),
        kind=values.get(6, 0),
        started_ns=values[7],
        ended_ns=values[8],
        attributes=attributes(data, 9),
        failed=status.get(3) == 2,
    )


def attributes(data: bytes, number: int) -> dict[str, Any]:
    """KeyValue {key=1, value=2}; AnyValue {string=1, bool=2, int=3}."""
    found = {}
    for _, pair in fields(data, number):
        parts = dict(fields(pair))
        ((kind, value), *_) = fields(parts[2]) or [(1, b"")]
        found[parts[1].decode()] = value.decode() if kind == 1 else value
    return found


def fields(data: bytes, only: int | None = None) -> list[tuple[int, Any]]:
    return [(number, value) for number, value in _fields(data) if only in (None, number)]


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = varint()
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            yield number, varint()
        elif wire == 1:
            yield number, int.from_bytes(data[at : at + 8], "little")
            at += 8
        elif wire == 2:
            size = varint()
            yield number, data[at : at + size]
            at += size
        else:
            yield number, int.from_bytes(data[at : at + 4], "little")
            at += 4
