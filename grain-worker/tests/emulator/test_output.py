"""Lines of a sandbox's processes: whose they are, and that those of an attempt are there when it has ended."""

import socket
import threading
from collections.abc import Iterator

import pytest

from sand.emulator.lines import LINE_BYTES, Lines, Origin, Which
from sand.emulator.output import Output


class Process:
    """One that writes, with its two streams."""

    def __init__(self, output: Output, name: str) -> None:
        self._output = output
        self._name = name
        self.writing: list[socket.socket] = []
        self._threads = [self._connect(number) for number in (1, 2)]

    def _connect(self, number: int) -> threading.Thread:
        ours, theirs = socket.socketpair()
        self.writing.append(ours)
        thread = threading.Thread(target=self._collect, args=(theirs,), daemon=True)
        thread.start()
        ours.sendall(f"{number} {self._name}\n".encode())
        return thread

    def _collect(self, stream: socket.socket) -> None:
        with stream:
            self._output.collect(stream)

    def begin(self, attempt: int) -> None:
        for stream in self.writing:
            stream.sendall(f"\x1ee e/g {attempt}\n".encode())

    def end(self) -> None:
        for stream, thread in zip(self.writing, self._threads, strict=True):
            stream.close()
            thread.join(30)
            assert not thread.is_alive()


@pytest.fixture
def lines() -> Lines:
    return Lines()


@pytest.fixture
def output(lines: Lines) -> Output:
    return Output(lines, Origin("app", 1), lambda process: (process.partition(".")[0], None))


@pytest.fixture
def process(output: Output) -> Iterator[Process]:
    writing = Process(output, "g.i1")
    yield writing
    writing.end()


def told(lines: Lines) -> list[tuple[str, int, str]]:
    return [(line["stream"], line["attempt"], line["text"]) for line in lines.before("app", Which("e", "g"), None, 10_000)[0]]


def test_all_lines_are_there_once_they_have_been_caught_up_with(process: Process, output: Output, lines: Lines):
    for number in range(1, 301):
        stream = number % 2
        process.begin(number)
        process.writing[stream].sendall(f"line {number}\n".encode())
        output.catch_up("g.i1")
        assert told(lines)[-1] == (("stdout", "stderr")[stream], number, f"line {number}")


def test_what_has_no_end_is_there_once_the_process_has_gone(output: Output, lines: Lines):
    process = Process(output, "g.i2")
    process.begin(1)
    process.writing[1].sendall(b"cut off")
    output.catch_up("g.i2")
    assert told(lines) == []
    process.end()
    output.catch_up("g.i2")
    assert told(lines) == [("stderr", 1, "cut off")]


def test_what_a_worker_writes_is_the_platforms(output: Output, lines: Lines):
    worker = Process(output, "g.w1")
    worker.writing[0].sendall(b"imported\n")
    output.catch_up("g.w1")
    (line,) = lines.before("app", Which(None, "g"), None, 10)[0]
    assert (line["stream"], line["text"], line["executionId"]) == ("platform", "imported", None)
    worker.end()


@pytest.mark.parametrize("rest", [1, LINE_BYTES, 5 * LINE_BYTES])
def test_a_line_that_is_too_long_is_cut(process: Process, output: Output, lines: Lines, rest: int):
    process.begin(1)
    process.writing[0].sendall(b"x" * (LINE_BYTES + rest))
    output.catch_up("g.i1")
    process.writing[0].sendall(b"y\nnext\n")
    output.catch_up("g.i1")
    assert [text for _, _, text in told(lines)] == ["x" * LINE_BYTES, "next"]


def test_a_states_name_may_have_spaces(process: Process, output: Output, lines: Lines):
    for stream in process.writing:
        stream.sendall(b"\x1ee e/How large? 7\nlarge\n")
    output.catch_up("g.i1")
    assert {line["eventId"] for line in lines.before("app", Which("e", "g"), None, 10)[0]} == {"e/How large?"}
    assert sorted(told(lines)) == [("stderr", 7, "large"), ("stdout", 7, "large")]
