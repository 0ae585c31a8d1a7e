"""Every workflow with the input of the README's table, in virtual time: waits, retries and time-outs cost nothing."""

import json
from pathlib import Path

import pytest

APPLICATION = Path(__file__).parent.parent


def rows():
    """Workflow, input and output of the README's table, where the output is JSON."""
    for line in (APPLICATION / "README.md").read_text().splitlines():
        cells = [cell.strip().strip("`") for cell in line.strip("| \n").split(" | ")]
        if line.startswith("| `") and cells[3][:1] in ("{", "[", '"'):
            yield cells[0], json.loads(cells[2]), json.loads(cells[3])


ROWS = list(rows())


@pytest.mark.parametrize(("name", "given", "expected"), ROWS, ids=[name for name, _, _ in ROWS])
def test_it_gives_what_the_readme_says(sand_application, name, given, expected):
    outcome = sand_application.workflow(name, given)
    assert (outcome.status, outcome.plain_output()) == ("SUCCEEDED", expected)


def test_every_type_of_state_is_shown():
    types = set()
    for path in (APPLICATION / "workflows").glob("*.asl.json"):
        types |= {part.split('"')[0] for part in path.read_text().split('"Type": "')[1:]}
    assert types == {"Task", "Pass", "Choice", "Wait", "Succeed", "Fail", "Parallel", "Map"}


def test_a_bread_that_burns_once_is_baked_again(sand_application):
    outcome = sand_application.workflow("task", {"order": "once burnt"})
    assert outcome.plain_output()["loaf"]["bread"] == "once burnt"
    assert [event.kind for event in outcome.history].count("RetryScheduled") == 1


def test_one_that_burns_twice_is_told_of(sand_application):
    assert sand_application.workflow("task", {"order": "coal"}).output == {"sorry": "no coal today"}


@pytest.mark.parametrize(
    ("given", "size"),
    [({"grams": 100}, "small"), ({"grams": 1, "kind": "extra large"}, "large"), ({"grams": "two"}, None)],
)
def test_other_choices(sand_application, given, size):
    assert sand_application.workflow("choice", given).output == (f"a {size} loaf" if size else "who knows")


def test_a_wait_until_a_time(sand_application):
    outcome = sand_application.workflow("wait", {"rest": 59, "from": "2024-01-01T06:00:00Z"})
    assert outcome.elapsed_ms == 6 * 3_600_000, "an execution in virtual time begins on 2024-01-01T00:00:00Z"


def test_what_is_not_sold_out_has_a_price(sand_application):
    assert sand_application.workflow("succeed", {"sold_out": False, "order": "cake"}).output == 2400


def test_it_fails_with_an_error_of_its_own(sand_application):
    outcome = sand_application.workflow("fail", {"order": "sawdust"})
    assert (outcome.status, outcome.error, outcome.cause) == ("FAILED", "Bakery.NoSuchBread", "we do not bake sawdust")


def test_too_many_burnt_breads_fail_the_map(sand_application):
    outcome = sand_application.workflow("distributed-map", {"orders": ["coal", "coal", "rye"]})
    assert outcome.error == "States.ExceedToleratedFailureThreshold"


def test_a_callback_is_the_result(sand_application):
    running = sand_application.start("callback", {"order": "cake"})
    assert sand_application.succeed(running.token(), {"by": "Ada"})
    assert running.result().output == {"by": "Ada"}


def test_nobody_decides(sand_application):
    silent = sand_application.workflow("callback", {"order": "cake"}, callbacks={"ask": []})
    assert silent.output == {"by": "nobody"}
    assert silent.elapsed_ms == 3_600_000, "no heartbeat for an hour"


def test_no_order_costs_nothing(sand_application):
    assert sand_application.workflow("jsonata", {"orders": []}).plain_output() == {"total": 0}
