"""Tables for people."""

import pytest

from sand.command.output import show_fields, show_table


def test_names_are_no_commands_for_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    name = "\x1b]0;title\x07a\tb\nc\x9b2J\ud800\u202e"
    show_table(["name"], [(name,)])
    show_fields({"name": name})
    written = capsys.readouterr().out
    assert written.count("\\x1b]0;title\\x07a\\tb c\\x9b2J\\ud800\\u202e") == 2
    assert all(character.isprintable() for line in written.splitlines() for character in line)
