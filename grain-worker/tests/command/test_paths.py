"""Whatever a command is given as the name of something is one segment of a path, and leads nowhere else."""

import io
from collections.abc import Iterator
from pathlib import Path

import click
import httpx
import pytest

from sand.command.client import Platform, path_to
from sand.command.failure import ExitCode
from sand.command.main import SUBCOMMANDS, sand

# Those that ask no platform for what they are named, or run until they are stopped.
NOT_ASKED = {"init", "up", "dev", "emulate", "doctor", "asl"}
NAME = "named"
NOBODY = ["../x", "..", ".", "a/b", "a\\b", "x?y", "x#y", "x y", "x/../../keys/y"]
NO_TARGETS = ["../x", "a/..", "./a", "..", "a", "a/b c", "a/b/c", "a/../b"]


class Asked(Exception):
    """Of the platform, at that path."""


def commands(command: click.Command, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            yield from commands(command.get_command(click.Context(command), name), (*words, name))
    else:
        yield words, command


COMMANDS = {
    " ".join(words): command
    for name in SUBCOMMANDS
    if name not in NOT_ASKED
    for words, command in commands(sand.get_command(click.Context(sand), name), (name,))
}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of all requests. Who asks is told his tenant, and nothing else is answered."""
    paths: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        paths.append(request.url.raw_path.decode().partition("?")[0])
        if paths[-1] == "/api/v1/session" and request.method == "GET":
            return httpx.Response(200, json={"tenant": "own", "scopes": []})
        raise Asked(paths[-1])

    # A secret, a value and a password are read from there.
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a value of some length\n" * 3)))
    real = Platform.__init__
    monkeypatch.setattr(Platform, "__init__", lambda self, server, **_: real(self, server, httpx.MockTransport(answer), "key"))
    return paths


def run(words: str, given: dict[str, str], file: Path) -> int | None:
    """
    :param given: by parameter; what is required and not in it is called NAME
    :return: the exit code; None: the platform was asked for more than who asks
    """
    options, arguments = [], []
    for parameter in COMMANDS[words].params:
        value = given.get(parameter.name or "")
        if isinstance(parameter, click.Argument):
            wanted = str(file) if isinstance(parameter.type, click.Path) else NAME
            wanted = f"{NAME}/{NAME}" if parameter.name == "target" else wanted
            arguments.append(wanted if value is None else value)
        elif parameter.name in ("yes", "disable", "only"):
            options.append(parameter.opts[0])
        elif parameter.name == "password_file":
            options += [parameter.opts[0], str(file)]
        elif value is not None or parameter.required:
            options += [parameter.opts[0], NAME if value is None else value]
    try:
        sand.main(["--server", "http://sand.test", *words.split(), *options, "--", *arguments], standalone_mode=False)
    except Asked:
        return None
    except click.ClickException as e:
        return e.exit_code
    return ExitCode.OK


def segments(words: str, file: Path, asked: list[str]) -> list[str]:
    """Which of its parameters are segments of a path that it asks for."""
    found = []
    for parameter in COMMANDS[words].params:
        is_named = isinstance(parameter, click.Argument) or not parameter.is_flag
        if parameter.name is None or not is_named or isinstance(parameter.type, click.Path | click.Choice):
            continue
        for value in ("sought", "sought/sought"):
            asked.clear()
            if run(words, {parameter.name: value}, file) is None and "sought" in asked[-1].split("/"):
                found.append(parameter.name)
                break
    return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "file"
    made.write_text('"a password or an event"')
    return made


@pytest.mark.parametrize("words", COMMANDS)
def test_what_is_no_name_is_wrong_usage_and_nothing_is_asked_for(words: str, file: Path, asked: list[str]) -> None:
    for parameter in segments(words, file, asked):
        for nobody in NOBODY if parameter != "target" else NO_TARGETS:
            asked.clear()
            assert (run(words, {parameter: nobody}, file), asked) == (ExitCode.USAGE, []), f"{words}: {parameter} {nobody}"


def test_the_names_that_are_in_paths_are_found(file: Path, asked: list[str]) -> None:
    known = {
        "keys revoke": ["id"],
        "tenant delete": ["name"],
        "quotas set": ["tenant"],
        "account invite": ["tenant"],
        "account change": ["name"],
        "host drain": ["host"],
        "queues topics": ["topic"],
        "invoke": ["target", "event"],
        "events get": ["target", "name"],
        "invocations get": ["application", "invocation"],
        "keys create": [],
    }
    assert {words: segments(words, file, asked) for words in known} == known


def test_a_version_is_one_segment_too(file: Path, asked: list[str]) -> None:
    assert run("describe", {"application": "app@.."}, file) == ExitCode.USAGE
    assert run("describe", {"application": "app@2"}, file) is None
    assert asked == ["/api/v1/applications/app/versions/2"]


def test_what_is_in_a_name_is_quoted() -> None:
    assert path_to("/api/v1/users", "a%2e%2e", "b;c", "grain@3") == "/api/v1/users/a%252e%252e/b%3Bc/grain@3"
    for nobody in ["", *NOBODY]:
        with pytest.raises(click.UsageError):
            path_to("/api/v1/users", nobody)
