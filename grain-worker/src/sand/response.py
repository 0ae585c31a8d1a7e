"""A handler's result with a content type of its own."""

from __future__ import annotations


class Response:
    """Bytes (or text, sent as UTF-8) that are not JSON: `return sand.Response(png, "image/png")`."""

    __slots__ = ("body", "content_type")

    def __init__(self, body: bytes | bytearray | memoryview | str, content_type: str) -> None:
        self.body = body.encode() if isinstance(body, str) else body
        self.content_type = content_type
