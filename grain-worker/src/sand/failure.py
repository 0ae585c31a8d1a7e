"""A user's exception as data: name, message, traceback of the user's own frames."""

from __future__ import annotations

import os
import sys
import traceback
from typing import NamedTuple

from sand.errors import SandError

TEXT_BYTES = 32 * 1024
_HERE = os.path.dirname(os.path.abspath(__file__)) + "/"


class Failure(NamedTuple):
    error: str
    cause: str
    stack_trace: str | None


def describe(raised: BaseException) -> Failure:
    """How the exception is reported. Never raises, whatever the exception's own methods do."""
    error = raised.error if isinstance(raised, SandError) else type(raised).__name__
    try:
        cause = str(raised)
    except BaseException as broken:
        cause = f"(its message cannot be shown: {type(broken).__name__})"
    try:
        trace = "".join(_users(traceback.TracebackException.from_exception(raised, compact=True)).format())
    except BaseException as broken:
        trace = f"(the traceback cannot be shown: {type(broken).__name__})"
    return Failure(error, cut(cause or error), cut(trace))


def _users(shown: traceback.TracebackException) -> traceback.TracebackException:
    """Without the frames of this runtime and of the import system, in the exception and in those that led to it; files by the
    names that their author knows. Where a sandbox lies on its host tells him nothing, and is nobody else's to know."""
    pending = [shown]
    while pending:
        one = pending.pop()
        one.stack[:] = [frame for frame in one.stack if not _ours(frame.filename)]
        for frame in one.stack:
            frame.filename = place(frame.filename)  # its line was read before
        if isinstance(getattr(one, "filename", None), str):  # of a SyntaxError
            one.filename = place(one.filename)
        pending += [other for other in (one.__cause__, one.__context__) if other is not None]
    return shown


def _ours(filename: str) -> bool:
    return filename.startswith((_HERE, "<frozen importlib"))


def place(filename: str) -> str:
    """From the folder on where it was imported from: `grains/resize/handler.py` of the application's own, `json/decoder.py`."""
    for entry in sys.path:
        if isinstance(entry, str) and entry and filename.startswith(entry + "/"):
            # A grain's own folder stands before its application's.
            parent, _, _ = entry.rpartition("/")
            application = parent.removesuffix("/grains")
            home = application if application != parent and application in sys.path else entry
            return filename[len(home) + 1 :]
    return filename


def cut(text: str) -> str:
    """At most TEXT_BYTES of it: beginning and end, where the message is."""
    if len(text) <= TEXT_BYTES // 4:
        return text
    data = text.encode("utf-8", "replace")
    if len(data) <= TEXT_BYTES:
        return text
    half = TEXT_BYTES // 2 - 32
    begin, end = data[:half].decode("utf-8", "ignore"), data[-half:].decode("utf-8", "ignore")
    return f"{begin}\n… {len(data) - 2 * half} bytes left out …\n{end}"
