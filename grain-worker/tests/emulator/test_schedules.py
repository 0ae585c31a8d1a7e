"""Times of schedules: cron in a zone, and intervals."""

from datetime import UTC, datetime

import pytest

from sand.emulator.schedules import Schedule


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1000)


def told(epoch_ms: int | None) -> str | None:
    return None if epoch_ms is None else datetime.fromtimestamp(epoch_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M")


def test_cron_is_of_its_zone():
    nightly = Schedule("30 3 * * *", "Europe/Berlin")
    assert told(nightly.next(0, ms("2026-01-10T00:00+00:00"))) == "2026-01-10T02:30"
    assert told(nightly.next(0, ms("2026-07-10T00:00+00:00"))) == "2026-07-10T01:30"
    assert nightly.text() == "30 3 * * * Europe/Berlin"


def test_the_last_one_of_many_that_were_missed():
    hourly = Schedule("0 * * * *")
    noon = ms("2026-01-10T12:00+00:00")
    assert told(hourly.last(0, 0, noon)) == "2026-01-10T12:00"
    assert told(hourly.last(0, 0, noon - 1)) == "2026-01-10T11:00"
    assert hourly.last(0, noon, noon + 59 * 60_000) is None
    assert hourly.last(noon + 1, 0, noon + 59 * 60_000) is None


def test_an_interval_counts_from_when_it_was_armed():
    beat = Schedule(every_ms=30_000)
    assert [beat.next(5, at) for at in (5, 30_004, 30_005)] == [30_005, 30_005, 60_005]
    assert [beat.last(5, 0, at) for at in (30_004, 30_005, 95_000)] == [None, 30_005, 90_005]
    assert beat.text() == "every 30000 ms"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"cron": "every day"}, "is no cron expression (minute hour day month weekday)"),
        ({"cron": "0 0 3 * * *"}, "it has five fields"),
        ({"cron": "61 * * * *"}, "is no cron expression"),
        ({"cron": "0 3 * * *", "zone": "Berlin"}, "'Berlin' is no time zone, like Europe/Berlin or UTC"),
        ({"every_ms": 999}, "an interval is at least 1000 ms, not 999 ms"),
    ],
)
def test_what_is_no_schedule_is_told(given, words):
    with pytest.raises(ValueError, match=words.replace("(", r"\(").replace(")", r"\)")):
        Schedule(**given)


def test_a_day_that_never_comes():
    with pytest.raises(ValueError, match="0 0 31 2"):
        Schedule("0 0 31 2 *")
