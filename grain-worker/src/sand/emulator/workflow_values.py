"""Values on their way through a workflow, and the payloads that carry them to grains and executions."""

from __future__ import annotations

from typing import Any

from sand.asl import document as documents
from sand.asl import malformed
from sand.asl.opaque import Broken, Opaque
from sand.messages import Payload
from sand.values import JSON


def value_of(payload: Payload) -> Any:
    content = b"null" if payload.bytes is None else payload.bytes
    if not payload.content_type.startswith(JSON):
        return Opaque(payload.content_type, payload, len(payload.bytes or b""))
    try:
        return documents.parse(documents.decoded(content))
    except documents.NoJson as e:
        text = content.decode("utf-8", "surrogateescape")
        return Opaque(payload.content_type, payload, len(content), Broken(text, malformed.sentence(e, text), e.is_limit))


def text_of(payload: Payload) -> str | None:
    """The JSON text that a value was read from, None of another one."""
    return payload.bytes.decode("utf-8", "replace") if payload.bytes and payload.content_type.startswith(JSON) else None


def payload_of(value: Any) -> Payload:
    if isinstance(value, Opaque):
        content: Payload = value.content
        return content
    return Payload(JSON, documents.write(value).encode("utf-8", "surrogateescape"))
