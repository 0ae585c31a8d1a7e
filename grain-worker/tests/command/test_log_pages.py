"""`sand logs` and `sand invocations logs` against a platform that gives few lines at once."""

import json

import httpx
import pytest
from click.testing import CliRunner

from sand.command import client
from sand.command.main import sand

LINES = [
    {"sequence": n, "epochMs": n, "version": 1, "grain": "g", "stream": "stdout", "level": None, "text": f"line {n}"}
    for n in range(1, 26)
]
GIVEN_AT_ONCE = 7


class Log:
    """A platform with these lines, which gives a few of them at a time."""

    def __init__(self) -> None:
        self.asked: list[httpx.URL] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request.url)
        query = request.url.params
        limit = min(int(query["limit"]), GIVEN_AT_ONCE)
        if "after" in query:
            found = [line for line in LINES if line["sequence"] > int(query["after"])][:limit]
            return httpx.Response(200, json={"lines": found, "next": found[-1]["sequence"] if found else None, "previous": 1})
        old = [line for line in LINES if "before" not in query or line["sequence"] < int(query["before"])]
        found = old[-limit:]
        previous = found[0]["sequence"] if len(old) > limit else None
        return httpx.Response(200, json={"lines": found, "next": None, "previous": previous})


@pytest.fixture
def log(monkeypatch) -> Log:
    log, make = Log(), client.Platform.__init__
    transport = httpx.MockTransport(log)
    monkeypatch.setattr(client.Platform, "__init__", lambda self, server, *_, **__: make(self, server, transport))
    return log


def shown(*arguments: str) -> tuple[list[int], str]:
    done = CliRunner().invoke(sand, [*arguments, "-o", "json"])
    assert done.exit_code == 0, done.output
    return [json.loads(line)["sequence"] for line in done.stdout.splitlines()], done.stderr


OF_ONE = ("invocations", "logs", "app", "01JD0Z5W3M8Q6T1R4V7X9YB2CD")


@pytest.mark.parametrize("command", [("logs", "app"), OF_ONE])
def test_as_many_lines_are_shown_as_are_asked_for_and_there_are(log: Log, command: tuple[str, ...]):
    assert shown(*command, "--limit", "10000") == (list(range(1, 26)), "")
    lines, said = shown(*command, "--limit", "10")
    assert lines == list(range(16, 26))
    assert said == "older ones: --before 16\n"
    assert shown(*command, "--limit", "10", "--before", "16")[0] == list(range(6, 16))
    assert shown(*command, "--after", "3") == (list(range(4, 26)), "")
    assert shown(*command, "--after", "3", "--limit", "9") == (list(range(4, 13)), "newer ones: --after 12\n")


def test_what_lines_are_to_be_like_is_asked_of_the_platform(log: Log):
    shown("logs", "app", "--grain", "g", "--text", "né", "--level", "WARNING", "--stream", "stdout", "--stream", "stderr")
    asked = {"grain": "g", "text": "né", "level": "warning", "stream": "stdout,stderr", "limit": "200"}
    assert {name: value for name, value in log.asked[0].params.items() if name in asked} == asked


def test_lines_before_one_and_after_another_are_not_asked_for_at_once(log: Log):
    assert CliRunner().invoke(sand, ["logs", "app", "--after", "1", "--before", "9"]).exit_code == 2
    assert not log.asked
