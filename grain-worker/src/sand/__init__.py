"""SAND, for handlers: `sand.Response` for results of other content types, and the errors that `context` raises.

Everything a handler needs besides comes with its second argument, see context.py.
"""

from sand.errors import BusRefusal, Conflict, Denied, NotFound, SandError, TooLarge, Unavailable, UnknownGrain
from sand.response import Response

__all__ = ["BusRefusal", "Conflict", "Denied", "NotFound", "Response", "SandError", "TooLarge", "Unavailable", "UnknownGrain"]
