"""Imports a grain's code in a child that is thrown away: tells whether it loads, and leaves the worker clean."""

from __future__ import annotations

import os
import signal
from json import JSONDecoder, JSONEncoder

from sand import failure, kernel, loading
from sand.messages import GrainConfiguration


class ImportFailed(Exception):
    """What the child met; its failure is already in words."""

    def __init__(self, said: failure.Failure) -> None:
        super().__init__(said.cause)
        self.said = said


def probe(configuration: GrainConfiguration) -> None:
    """:raises ImportFailed:"""
    read, write = os.pipe2(os.O_CLOEXEC)
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            kernel.die_with_parent(parent)
            os.setsid()
            os.close(read)
            _child(configuration, write)
        finally:
            os._exit(1)
    os.close(write)
    said = _read_all(read)
    os.close(read)
    kernel.kill_group(pid)
    _, status = os.waitpid(pid, 0)
    if said == b"loaded":
        return
    if said:
        raise ImportFailed(failure.Failure(*JSONDecoder().decode(said.decode())))
    code = os.waitstatus_to_exitcode(status)
    ended = f"with {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
    raise ImportFailed(failure.Failure("Sand.Crashed", f"importing the code ended the process {ended}", None))


def _child(configuration: GrainConfiguration, write: int) -> None:
    try:
        if configuration.instance_memory_bytes and not configuration.memory_by_default:
            kernel.limit_memory(configuration.instance_memory_bytes)
        loading.load(configuration)
        said = b"loaded"
    except BaseException as raised:
        if isinstance(raised, MemoryError) and configuration.instance_memory_bytes:
            kernel.release_reserve()
        said = JSONEncoder().encode(failure.describe(raised)).encode()
    os.write(write, said)


def _read_all(fd: int) -> bytes:
    """One message: a process that the import left running may keep the pipe open."""
    return os.read(fd, 1 << 17)
