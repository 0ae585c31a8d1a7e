"""SAND, for handlers: `sand.Response` for results of other content types, the errors that `context` raises, and `sand.SELF` and
`sand.ANY` for the messages of cloud processes.

Everything a handler needs besides comes with its second argument, see context.py.
"""

from typing import Any

from sand.errors import (
    BadRequest,
    BusRefusal,
    Conflict,
    Denied,
    InvocationFailed,
    NotFound,
    Overloaded,
    SandError,
    Timeout,
    TooLarge,
    Unavailable,
    UnknownGrain,
    Unserializable,
)
from sand.response import Response

__all__ = [
    "BadRequest",
    "BusRefusal",
    "Conflict",
    "Denied",
    "InvocationFailed",
    "NotFound",
    "Overloaded",
    "Response",
    "SandError",
    "Timeout",
    "TooLarge",
    "Unavailable",
    "UnknownGrain",
    "Unserializable",
]


def __getattr__(name: str) -> Any:
    """What few use, imported when it is asked for: every fork pays for what is there."""
    if name in ("SELF", "ANY"):
        from sand import process

        return getattr(process, name)
    raise AttributeError(f"module 'sand' has no attribute '{name}'")
