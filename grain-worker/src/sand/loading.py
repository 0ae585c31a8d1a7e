"""From "module:function" to a callable handler, and what an import left behind that a fork would break."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from sand.failure import place
from sand.messages import GrainConfiguration

Handler = Callable[[Any, Any], Any]

_COROUTINE_OR_ASYNC_GENERATOR = 0x80 | 0x200
_VARARGS = 0x04


def put_first(path: tuple[str, ...]) -> None:
    """In front of sys.path, in order; what is there already moves up."""
    sys.path[:] = [*path, *(entry for entry in sys.path if entry not in path)]


def prepare(configuration: GrainConfiguration) -> None:
    """The process becomes the grain's: environment, sys.path, and the grain's folder as current directory."""
    os.environ.update(configuration.environment)
    put_first(configuration.path)
    if configuration.path and os.path.isdir(configuration.path[0]):
        os.chdir(configuration.path[0])


def load(configuration: GrainConfiguration) -> Handler:
    """Imports the grain's module.

    :raises BaseException: whatever the module raises
    """
    name, colon, function = configuration.entry.partition(":")
    if not (colon and name and function):
        raise ValueError(f"grain {configuration.grain}: entry {configuration.entry!r} is not of the form module:function")
    if name in sys.modules and not _below(sys.modules[name], configuration.path):
        where = place(getattr(sys.modules[name], "__file__", None) or "built in")
        raise ImportError(f"grain {configuration.grain}: another module has the name {name} ({where}); rename the grain's")
    __import__(name)
    module = sys.modules[name]
    handler = module
    for attribute in function.split("."):
        handler = getattr(handler, attribute, None)
        if handler is None:
            raise AttributeError(f"grain {configuration.grain}: {place(module.__file__ or name)} has no function {function}")
    _check(handler, configuration)
    return handler


def _below(module: Any, path: tuple[str, ...]) -> bool:
    file = getattr(module, "__file__", None) or ""
    return any(file.startswith(folder.rstrip("/") + "/") for folder in path)


def _check(handler: Any, configuration: GrainConfiguration) -> None:
    """What would fail at every call fails here instead."""
    called = f"grain {configuration.grain}: {configuration.entry}"
    if not callable(handler):
        raise TypeError(f"{called} is a {type(handler).__name__}, not a function")
    function = handler if hasattr(handler, "__code__") else type(handler).__call__
    code = getattr(function, "__code__", None)
    if code is None:
        return
    if code.co_flags & _COROUTINE_OR_ASYNC_GENERATOR:
        raise TypeError(f"{called} is 'async def'; a handler is a plain function (call asyncio.run inside it)")
    if function is handler and isinstance(handler, type(_check)):
        needed = code.co_argcount - len(handler.__defaults__ or ())
        if needed > 2 or (code.co_argcount < 2 and not code.co_flags & _VARARGS):
            raise TypeError(f"{called} takes {code.co_argcount} arguments; a handler takes two, (event, context)")


class Residue:
    """What imports left in this process that a forked child would share or miss: threads, sockets, event queues."""

    def __init__(self) -> None:
        self._before = _descriptors()

    def found(self) -> str | None:
        """In words, or None. Threads of libraries that stop them before a fork themselves (OpenBLAS) do not count."""
        left = []
        opened = _descriptors() - self._before
        if sockets := sum(target.startswith("socket:") for _, target in opened):
            left.append(f"{sockets} open socket{'s'[: sockets > 1]}")
        if any("eventpoll" in target or "io_uring" in target for _, target in opened):
            left.append("an event loop")
        if _threads() > 1:
            _fork_once()
            if (threads := _threads() - 1) > 0:
                left.append(f"{threads} thread{'s'[: threads > 1]}")
        return " and ".join(left) or None


def _fork_once() -> None:
    """Lets libraries' own fork handlers run, as every fork would."""
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def _threads() -> int:
    return len(os.listdir("/proc/self/task"))


def _descriptors() -> set[tuple[str, str]]:
    found = set()
    for fd in os.listdir("/proc/self/fd"):
        try:
            found.add((fd, os.readlink(f"/proc/self/fd/{fd}")))
        except OSError:
            continue
    return found
