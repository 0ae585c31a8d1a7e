"""A room in the emulator: its functions, and two programs over the data plane."""

import subprocess
import sys
from pathlib import Path

import pytest
from sand.emulator.results import CallFailed

PROGRAM = Path(__file__).parent.parent / "chat.py"


@pytest.fixture
def room(sand_application):
    process = sand_application.process("garden")
    process.invoke("join", {"name": "ada"})
    assert process.invoke("join", {"name": "bob"}) == ["ada", "bob"]
    return process


def heard(room, name):
    return [(line["name"], line["text"]) for line in room.invoke("listen", {"name": name, "seconds": 0})]


def test_everybody_hears_what_is_said_once_and_in_order(room):
    for text in ("hello", "anybody?"):
        assert room.invoke("say", {"name": "ada", "text": text}) == 2
    for name in ("bob", "ada"):
        assert heard(room, name) == [("ada", "hello"), ("ada", "anybody?")]
        assert heard(room, name) == []


def test_what_was_not_heard_waits_while_the_room_is_swapped_out(room):
    room.invoke("say", {"name": "bob", "text": "later"})
    room.swap_out()
    assert heard(room, "ada") == [("bob", "later")]


def test_who_has_left_is_told_nothing(room):
    room.invoke("say", {"name": "ada", "text": "bye"})
    assert room.invoke("leave", {"name": "bob"})
    assert [message.key for message in room.messages] == ["for/ada"]
    for function in ("listen", "say"):
        with pytest.raises(CallFailed, match="bob is not in room garden"):
            room.invoke(function, {"name": "bob", "text": "?"})


@pytest.mark.parametrize("event", [{"name": "ada", "text": ""}, {"name": "ada", "text": "x" * 2001}])
def test_what_is_said_has_bounds(room, event):
    with pytest.raises(CallFailed, match="1 to 2000 characters"):
        room.invoke("say", event)
    assert room.messages == []


@pytest.mark.slow
def test_two_programs_talk(sand_server):
    server = str(sand_server.base_url).rstrip("/")
    names = ("ada", "bob")
    command = [sys.executable, "-P", str(PROGRAM), server, "garden"]
    programs = {
        name: subprocess.Popen([*command, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for name in names
    }
    for program in programs.values():
        assert program.stdout.readline().startswith("here: ")
    for name, program in programs.items():
        program.stdin.write(f"I am {name}\n")
        program.stdin.flush()
    for program in programs.values():
        lines = {program.stdout.readline().strip() for _ in names}
        assert lines == {"ada: I am ada", "bob: I am bob"}
    for program in programs.values():
        assert program.communicate("\n", timeout=20)[0] == ""
        assert program.returncode == 0
