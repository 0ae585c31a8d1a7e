"""Every way in which a grain goes wrong has its own error, and the next request is served."""

import os

import pytest
from conftest import Tested, is_problem, until

CRASHED, TIMEOUT, UNSERIALIZABLE = "Sand.Crashed", "Sand.Timeout", "Sand.Unserializable"


@pytest.mark.parametrize(
    ("grain", "status", "error", "words"),
    [
        ("raises", 500, "KeyError", "no such thing"),
        ("segfault", 500, CRASHED, "SIGSEGV"),
        ("exits", 500, CRASHED, "3"),
        ("killed", 500, (CRASHED, "Sand.OutOfMemory"), "SIGKILL"),
        ("exit_calls", 500, ("SystemExit", CRASHED), ""),
        ("unserialisable", 500, UNSERIALIZABLE, "object"),
        ("greedy", 500, "MemoryError", "128 MiB"),
        ("greedy_by_default", 500, "MemoryError", "448 MiB"),
    ],
)
def test_each_crash_has_its_error_and_the_next_request_is_served(crash: Tested, grain, status, error, words):
    problem = is_problem(crash.invoke(f"crash/{grain}"), status, "grain")
    assert problem["error"] in (error if isinstance(error, tuple) else (error,))
    assert words in problem["detail"], problem["detail"]
    assert crash.ask("crash/fine") == "fine"
    is_problem(crash.invoke(f"crash/{grain}"), status, "grain")


@pytest.mark.slow
def test_several_that_fill_the_sandbox_together_are_told_apart_from_a_crash(crash: Tested, docker: Tested):
    answers = crash.ask_all("crash/greedy_together", [None] * 3, at_once=3)
    errors = {answer.json()["error"] for answer in answers if answer.status_code != 200}
    assert "Sand.OutOfMemory" in errors and "Sand.Crashed" not in errors, errors
    assert crash.ask("crash/fine") == "fine"


def test_an_exception_comes_with_the_users_traceback_alone(crash: Tested):
    trace = is_problem(crash.invoke("crash/raises"), 500, "grain")["stackTrace"]
    assert "handler.py" in trace and "inner(event)" in trace
    assert "sand/" not in trace


@pytest.mark.parametrize("grain", ["loop", "stubborn"])
def test_no_instance_outlives_its_deadline(crash: Tested, grain):
    response = crash.invoke(f"crash/{grain}")
    assert response.status_code == 504, response.text
    assert response.json()["error"] == TIMEOUT
    assert crash.ask("crash/fine") == "fine"
    until(lambda: not crash.running("crash"), "the instance and its children are gone", 15)


@pytest.mark.slow
def test_a_fork_bomb_ends_with_its_request(crash: Tested):
    response = crash.invoke("crash/bomb")
    assert response.status_code in (500, 504), response.text
    assert crash.ask("crash/fine") == "fine"


@pytest.mark.slow
def test_gigabytes_of_output_are_cut_and_hold_nobody_up(crash: Tested):
    response = crash.invoke("crash/chatty")
    assert response.status_code == 200, response.text
    lines = crash.api("crash", "invocations", response.headers["Sand-Execution-Id"], "logs")["lines"]
    kept = sum(len(line["text"]) for line in lines)
    assert 0 < kept <= 512 * 1024
    assert any("truncated" in line["text"] for line in lines)


@pytest.mark.slow
def test_after_many_crashes_nothing_is_left_behind(crash: Tested):
    def open_files() -> int:
        return len(os.listdir(f"/proc/{crash.java_pid}/fd"))

    crash.ask_all("crash/segfault", [None] * 20)
    crash.ask("crash/fine")
    before = open_files()
    responses = crash.ask_all("crash/exits", [None] * 100)
    assert {response.status_code for response in responses} == {500}
    until(lambda: open_files() <= before + 20, "descriptors are given back")
