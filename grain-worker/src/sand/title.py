"""What `ps` shows of a process: `sand supervisor`, `sand worker GRAIN`, `sand instance GRAIN`.

A process may write over the memory of its own arguments; the kernel reads them from there.
"""

from __future__ import annotations

import ctypes

_PR_SET_NAME = 15
# Fields of /proc/self/stat behind the name: arg_start and arg_end, 48th and 49th.
_ARG_START = 45

_prctl = ctypes.PyDLL(None).prctl
_memmove = ctypes.memmove


def _arguments() -> tuple[int, int]:
    """Where the arguments lie and how many bytes they have; (0, 0) where the kernel does not tell."""
    try:
        with open("/proc/self/stat", "rb") as stat:
            fields = stat.read().rpartition(b") ")[2].split()
        start, end = int(fields[_ARG_START]), int(fields[_ARG_START + 1])
    except (OSError, IndexError, ValueError):
        return 0, 0
    return start, max(0, end - start)


_start, _room = _arguments()


def prepare(role: str, grain: str) -> bytes:
    """A title cut and padded to the room there is; made ahead by a worker for all its instances."""
    return f"sand {role} {grain}".encode()[: max(0, _room - 1)].ljust(_room, b"\0")


def show(prepared: bytes) -> None:
    if _room:
        _memmove(_start, prepared, _room)
    _prctl(_PR_SET_NAME, prepared[5:20], 0, 0, 0)
