"""Tables for people."""

import pytest

from sand.command.logs import show_logs
from sand.command.output import show_fields, show_table


def test_names_are_no_commands_for_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    name = "\x1b]0;title\x07a\tb\nc\x9b2J\ud800\u202e"
    show_table(["name"], [(name,)])
    show_fields({"name": name})
    written = capsys.readouterr().out
    assert written.count("\\x1b]0;title\\x07a\\tb c\\x9b2J\\ud800\\u202e") == 2
    assert all(character.isprintable() for line in written.splitlines() for character in line)


def test_what_grains_write_is_no_command_for_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    line = {"epochMs": 1, "grain": "g", "stream": "stdout", "text": "\x1b[31mred\x1b]0;title\x07\r\ta\x9b2J\u2028\u202eü"}
    show_logs([line, {**line, "level": "info", "text": '{"message": "\\u001b[31mred", "a": "\\u009b"}'}], as_json=False)
    plain, structured = capsys.readouterr().out.split("\n")[:2]
    assert plain.endswith("  out   \\x1b[31mred\\x1b]0;title\\x07\\r\ta\\x9b2J\\u2028\\u202eü")
    assert structured.endswith('  info  \\x1b[31mred a="\\x9b"')
