"""Large values in the emulator: what others see of one is as it was stored, whoever opens its memory anew."""

from __future__ import annotations

import os
from mmap import mmap
from typing import Any

import pytest
from process_apps import Apps

from sand.emulator.segments import Segments

SIZE = 200_000


@pytest.fixture
def segments() -> Any:
    made = Segments()
    yield made
    made.close()


def again(fd: int) -> int:
    return os.open(f"/proc/self/fd/{fd}", os.O_RDWR)


def refuses(fd: int) -> None:
    """Writing, by each way."""
    for way in (lambda: os.pwrite(fd, b"X", 0), lambda: os.truncate(fd, 10), lambda: mmap(fd, SIZE)):
        with pytest.raises(PermissionError):
            way()


def test_what_is_stored_is_written_no_more(segments: Segments) -> None:
    name = segments.store("e/1", (b"a" * SIZE,), SIZE)
    lent = segments.lend(name, "f")
    for one in (name, lent):
        refuses(again(segments.descriptor(one)))
        refuses(again(segments.open(one)))
        assert segments.read(one) == b"a" * SIZE
    view = segments.load(name)
    segments.release("e")
    assert view.readonly and view[:3] == b"aaa"
    assert segments.read(lent) == b"a" * SIZE


def test_what_a_function_allocates_it_writes_until_somebody_opens_it(segments: Segments) -> None:
    name, fd = segments.allocate("e", SIZE)
    written = again(fd)
    assert os.pwrite(written, b"a" * SIZE, 0) == SIZE
    reading = segments.open(name)
    refuses(written)
    refuses(again(reading))
    with pytest.raises(OSError):
        os.pwrite(reading, b"X", 0)
    assert os.pread(reading, 3, 0) == b"aaa"


def test_a_map_of_the_functions_own_is_in_nobodys_way(segments: Segments) -> None:
    name, fd = segments.allocate("e", SIZE)
    with mmap(fd, SIZE) as own:
        own[:3] = b"abc"
        assert os.pread(segments.open(name), 3, 0) == b"abc"
        own[:3] = b"def"
    assert segments.read(name)[:3] == b"def"
    refuses(again(segments.open(name)))


def test_a_function_cannot_write_to_a_value_that_it_shares(forked: Any) -> None:
    apps = Apps(forked).load()
    apps.run("a", f"p.state('k', b'a' * {SIZE}); p.send('a', 'm', b'm' * {SIZE})")
    do = """
import mmap
view, message = p.state('k', shared=True), p.recv(shared=True)
p.state('own', b'o' * 200_000)
own = p.state('own', shared=True)
def rewrite(path): os.pwrite(os.open(path, os.O_RDWR), b'X', 0)
def cut(path): os.truncate(path, 10)
def remap(path): mmap.mmap(os.open(path, os.O_RDWR), 4096)[:1] = b'X'
out = []
for fd in os.listdir('/proc/self/fd'):
    path = '/proc/self/fd/' + fd
    if os.path.exists(path) and 'memfd:segment' in os.readlink(path):
        for way in (rewrite, cut, remap):
            try:
                way(path)
                out.append('wrote')
            except OSError as refused:
                out.append(type(refused).__name__)
out = [sorted({*out}), len(out), *(bytes(each[:3]).decode() for each in (view, message, own))]
"""
    assert apps.run("a", do) == [["PermissionError"], 9, "aaa", "mmm", "ooo"]
    assert apps.run("a", "out = [p.state(k)[:3].decode() for k in ('k', 'own')]") == ["aaa", "ooo"]
