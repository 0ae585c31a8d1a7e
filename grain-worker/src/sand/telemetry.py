"""The trace context of an event as OpenTelemetry's current context, for grains that have imported opentelemetry themselves.

The runtime never imports it: a grain that does not use it pays for one look into sys.modules, and only when its event has a
trace context at all.
"""

from __future__ import annotations

import sys
from typing import Any


def attach(traceparent: str) -> Any:
    """Makes spans that the handler begins children of the platform's; what `detach` wants back, or None."""
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return None
    try:
        from opentelemetry import context

        _, trace_id, span_id, flags = traceparent.split("-")[:4]
        parent = trace.SpanContext(
            trace_id=int(trace_id, 16), span_id=int(span_id, 16), is_remote=True, trace_flags=trace.TraceFlags(int(flags, 16))
        )
        return context.attach(trace.set_span_in_context(trace.NonRecordingSpan(parent)))
    except Exception as broken:
        # Another version than we know: the handler runs without, and its log says why.
        print(f"sand: no OpenTelemetry context: {type(broken).__name__}: {broken}", file=sys.stderr)
        return None


def detach(token: Any) -> None:
    from opentelemetry import context

    context.detach(token)
