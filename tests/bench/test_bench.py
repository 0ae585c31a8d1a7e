"""What the bench concludes from what it measured; nothing is started here."""

import sys
from pathlib import Path

import httpx
import pytest

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests"), str(TOP / "deploy")]

from bench import backup, killed, transition  # noqa: E402
from bench.load import end_of, end_recorded  # noqa: E402
from bench.several_hosts import without_key  # noqa: E402
from bench.verdicts import Answer, Story, Verdict, count, expected, first_recovered, judge  # noqa: E402

PROBLEM = {"Content-Type": "application/problem+json"}


def story(number: int = 1, accepted: bool = True, *answers: Answer) -> Story:
    return Story(number, asked=0.0, accepted=accepted, answered=1.0 if answers else None, answers=list(answers))


def right(number: int = 1, mark: str = "a", attempts: list | None = None) -> Answer:
    return Answer("x1", {"value": expected(number), "mark": mark, "attempts": attempts or []})


def test_the_expected_value_is_what_the_grains_make() -> None:
    first = 3 * 5 + 1
    assert expected(5) == (3 * first + 1) + (3 * first + 1)


@pytest.mark.parametrize(
    ("seen", "verdict"),
    [
        (story(1, True, right()), Verdict.RIGHT),
        (story(1, True, right(), right()), Verdict.RIGHT),
        (story(1, False), Verdict.REFUSED),
        (story(1, True), Verdict.LOST),
        (story(1, True, right(2)), Verdict.WRONG),
        (story(1, True, Answer("x1", None)), Verdict.WRONG),
        (story(1, True, right(mark="a"), right(mark="b")), Verdict.TWICE),
        (story(1, True, right(), Answer("x2", right().output)), Verdict.TWICE),
        (story(1, True, Answer("x1", None, "timeout: late")), Verdict.FAILED),
        (story(1, True, Answer("x1", None, "timeout: late"), right()), Verdict.TWICE),
    ],
)
def test_every_answer_of_an_execution_counts(seen: Story, verdict: Verdict) -> None:
    assert judge(seen) == verdict
    assert count([seen]) == {verdict: 1}


def test_the_first_recovered_event_is_the_first_further_attempt_behind_the_kill() -> None:
    before, killed_at = 90e9, 100.0
    stories = [
        story(1, True, right(1, "a", [[before, 1], [103e9, 1]])),
        story(2, True, right(2, "a", [[before, 2], [105e9, 2], [104e9, 2]])),
        story(3, True, Answer("x3", None, "failed: for a reason")),
        story(4, True),
    ]
    assert first_recovered(stories, killed_at) == pytest.approx(4.0)
    assert first_recovered(stories[:1], killed_at) is None


def test_a_backup_may_cost_a_fifth_or_thirty_microseconds() -> None:
    assert backup.cost("c", "s", 130, 100).met is True
    assert backup.cost("c", "s", 131, 100).met is False
    assert backup.cost("c", "s", 240, 200).met is True
    assert backup.cost("c", "s", 241, 200).met is False
    assert backup.cost("c", "s", 90, 100).met is True


def test_what_was_lost_and_what_was_wrong_misses_its_target_and_is_named() -> None:
    stories = [story(1, True, right()), story(2, True), story(3, False), story(4, True, right(5))]
    rows = {row.id: row for row in killed.rows_of(stories, minutes=1)}
    assert (rows["host-failures-lost"].value, rows["host-failures-lost"].met) == (2, False)
    assert "#2" in rows["host-failures-lost"].note and "#3" in rows["host-failures-lost"].note
    assert (rows["host-failures-wrong"].value, rows["host-failures-wrong"].met) == (1, False)
    assert rows["host-failures-rate"].value == 1


def test_an_answer_that_says_to_come_back_is_no_end() -> None:
    seen = story()
    assert end_of(httpx.Response(502, text="nginx"), seen) is None
    assert end_of(httpx.Response(503, json={"retryable": True}, headers=PROBLEM), seen) is None
    assert len(seen.turned_away) == 2
    refused = httpx.Response(500, json={"type": "t", "detail": "d", "retryable": False}, headers=PROBLEM)
    assert end_of(refused, seen) == Answer(None, None, "t: d")
    assert end_of(httpx.Response(200, json=7, headers={"Sand-Execution-Id": "x"}), seen) == Answer("x", 7)


def test_a_record_tells_an_end_only_of_an_execution_that_it_names() -> None:
    seen = story()
    failed = {"type": "t", "detail": "d", "retryable": True}
    assert end_recorded(httpx.Response(503, json=failed, headers=PROBLEM | {"Sand-Execution-Id": "x"}), seen) == Answer(
        "x", None, "t: d"
    )
    assert end_recorded(httpx.Response(202, json={}, headers={"Sand-Execution-Id": "x"}), seen) is None
    assert not seen.turned_away
    assert end_recorded(httpx.Response(404, json=failed, headers=PROBLEM), seen) is None
    assert end_recorded(httpx.Response(503, json=failed, headers=PROBLEM), seen) is None
    assert len(seen.turned_away) == 2


def test_a_wide_map_is_judged_by_the_longest_signal_of_all() -> None:
    held = transition.row("transition-map", "50000", "140000", "500001", "a Map")
    assert (held.p50, held.p99, held.value, held.target, held.met) == (50.0, 140.0, 500.001, "<= 500", False)
    assert transition.row("transition-map", "50000", "140000", "500000", "a Map").met
    small = transition.row("transition-small", "20000", "90000", "9000000", "a Task")
    assert (small.value, small.target, small.met) == (20.0, "p50 <= 20", True)


def test_frontends_without_a_key_answer_what_nginx_brings() -> None:
    keyed = ["java", "--operator-key", "FILE", "--role", "frontend"]
    assert without_key(keyed) == ["java", "--allow-host", "127.0.0.1", "--role", "frontend"]
    assert without_key(["java", "--role", "host"]) == ["java", "--role", "host"]
