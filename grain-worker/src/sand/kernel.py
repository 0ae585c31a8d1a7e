"""What the runtime asks of Linux beyond the os module. The worker and the supervisor import it before they fork."""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import signal
import time
from collections.abc import Callable
from os import getppid

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_SIGKILL = int(signal.SIGKILL)
# Without declared argument types: converting them would touch twice the memory, and each child pays for what it touches.
_prctl = ctypes.PyDLL(None).prctl
_malloc_trim = getattr(ctypes.PyDLL(None), "malloc_trim", None)

# Above the limit of an instance: what the report of a MemoryError may use.
MEMORY_RESERVE = 16 << 20
# Makes the kernel choose an instance before a worker, whatever their sizes; among instances it takes the largest.
OOM_SCORE = b"900"


def take_variable(name: str) -> str:
    """The variable's value, which nobody finds in this process's environment afterwards: what /proc shows of that is the
    memory it began with, and every fork has a copy."""
    getenv = ctypes.PyDLL(None).getenv
    getenv.restype = ctypes.c_void_p
    place = getenv(name.encode())
    value = os.environ.pop(name)
    if place:
        ctypes.memset(place, ord("-"), len(value.encode()))
    return value


def settle() -> None:
    """Before the first fork: garbage is gone, what lives is left alone by collections, and free memory is in order, so that
    no child pays for sorting it."""
    gc.collect()
    gc.freeze()
    if _malloc_trim:
        _malloc_trim(0)
    # glibc gives the heap's end back from 128 KiB on, and maps what is as large, until it has seen something larger go: then
    # from 2 MiB on, and 1 MiB. A child that frees what its next values take would fault on each page of it again.
    bytes(1 << 20)


def die_with_parent(parent: int) -> None:
    """SIGKILL when the parent ends, so that nothing outlives its worker. Ends at once when it has ended already."""
    _prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
    if getppid() != parent:
        os._exit(0)


def become_subreaper() -> None:
    """Orphans below this process become its children, however they were detached."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def forbid_core_dumps() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_memory(limit: int) -> None:
    """A clean MemoryError at `limit` bytes of data; the reserve above it is opened by release_reserve."""
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit + MEMORY_RESERVE))


def release_reserve() -> None:
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))


class OomScore:
    """Set while a worker forks, since the children inherit it: two writes instead of an open, write and close in each."""

    def __init__(self) -> None:
        try:
            self._fd = os.open("/proc/self/oom_score_adj", os.O_RDWR)
            self._own = os.read(self._fd, 16).strip()
        except OSError:
            self._fd = -1

    def prefer(self) -> None:
        """The kernel takes processes forked from now on before this one. Where that is forbidden, limits still stand."""
        self._write(OOM_SCORE)

    def restore(self) -> None:
        self._write(self._own)

    def leave(self) -> None:
        """In a forked child."""
        if self._fd >= 0:
            os.close(self._fd)

    def _write(self, score: bytes) -> None:
        if self._fd >= 0:
            try:
                os.pwrite(self._fd, score, 0)
            except OSError:
                self.leave()
                self._fd = -1


class OomKills:
    """Whether the kernel has ended processes of this sandbox for want of memory: its own count, cgroup v2's or v1's."""

    _FILES = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")

    # Several that are ended together are counted at once, and seen to have ended one after another.
    _TOGETHER_SECONDS = 1.0

    def __init__(self) -> None:
        self._known = self._count()
        self._seen = -self._TOGETHER_SECONDS

    def happened(self) -> bool:
        """Since this was asked last, or just before that."""
        now = time.monotonic()
        count = self._count()
        if count > self._known:
            self._known, self._seen = count, now
        return now - self._seen < self._TOGETHER_SECONDS

    def _count(self) -> int:
        for file in self._FILES:
            try:
                with open(file, "rb") as events:
                    for line in events:
                        if line.startswith(b"oom_kill "):
                            return int(line.split()[1])
            except (OSError, ValueError):
                continue
        return 0


def data_bytes() -> int:
    """What counts against RLIMIT_DATA in this process now."""
    return _status().get(b"VmData", 0)


def data_limit(memory_bytes: int, by_default: bool) -> int:
    """RLIMIT_DATA for instances of a worker whose code is loaded. The kernel counts what is reserved, used or not; libraries
    reserve much for threads that never run, and a default must not be met by that alone."""
    if not by_default:
        return memory_bytes
    status = _status()
    return memory_bytes + max(0, status.get(b"VmData", 0) - status.get(b"RssAnon", 0))


def _status() -> dict[bytes, int]:
    """The lines of /proc/self/status that are sizes, in bytes."""
    sizes = {}
    with open("/proc/self/status", "rb") as status:
        for line in status:
            name, _, value = line.partition(b":")
            if value.endswith(b" kB\n"):
                sizes[name] = int(value[:-4]) << 10
    return sizes


def children() -> set[int]:
    """This process's children, adopted ones too."""
    try:
        return _listed("/proc/thread-self/children")
    except FileNotFoundError:
        return _children_by_parent(os.getpid())


def _children_of(pid: int) -> set[int]:
    """Another process's, those of all its threads."""
    found = set()
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            found |= _listed(f"/proc/{pid}/task/{thread}/children")
    except FileNotFoundError:
        return _children_by_parent(pid)
    except OSError:
        pass
    return found


def _listed(file: str) -> set[int]:
    fd = os.open(file, os.O_RDONLY)
    try:
        found = b""
        while chunk := os.read(fd, 65536):
            found += chunk
    finally:
        os.close(fd)
    return {int(pid) for pid in found.split()}


def _children_by_parent(parent: int) -> set[int]:
    """The same where the kernel keeps no list of children, or the process is gone."""
    found = set()
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as stat:
                    if int(stat.read().rpartition(b")")[2].split()[1]) == parent:
                        found.add(int(name))
            except (OSError, IndexError):
                continue
    return found


def end_everything_below() -> None:
    """Kills this process's children, then those that it adopts from them, until there are none."""
    while below := children():
        kill_trees(below)
        try:
            os.waitpid(-1, 0)
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            continue


def kill_trees(roots: set[int]) -> int:
    """SIGKILL to processes and all below them, stopped first so that none can fork away from it; how many there were."""
    found: set[int] = set()
    fresh = roots
    while fresh:
        for pid in fresh:
            _send(os.kill, pid, signal.SIGSTOP)
        found |= fresh
        fresh = {child for pid in found for child in _children_of(pid)} - found
    for pid in found:
        _send(os.kill, pid, signal.SIGKILL)
    return len(found)


def _send(how: Callable[[int, int], None], pid: int, number: int) -> bool:
    """False when there is no such process."""
    try:
        how(pid, number)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def kill_group(pid: int) -> None:
    """SIGKILL to the process group that `pid` leads, and to it alone while it leads none yet."""
    if not _send(os.killpg, pid, signal.SIGKILL):
        _send(os.kill, pid, signal.SIGKILL)
