"""Queues, schedules and changes of data, with dead letters and their handler: docs/TRIGGERS.md."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import APPLICATIONS, Tested, is_problem, sandbox_option, until
from sand.command.local import LocalPlatform

QUEUES = "/api/v1/applications/events/queues"


@pytest.fixture(scope="module")
def events(tested: Tested) -> Iterator[Tested]:
    tested.deploy(APPLICATIONS / "events")
    yield tested
    tested.http.delete("/api/v1/applications/events")


def send(platform: Tested, queue: str, message: Any, group: str | None = None) -> str:
    response = platform.http.post(f"{QUEUES}/{queue}", json=message, params={"group": group} if group else {})
    assert response.status_code == 202, response.text
    return response.json()["id"]


def stored(platform: Tested, prefix: str) -> list[Any]:
    return platform.ask("events/relay", {"prefix": prefix})


def test_a_group_is_worked_off_in_order_while_others_go_on(events: Tested):
    for number in range(6):
        for group in ("ada", "bob", "cyd"):
            send(events, "orders", {"group": group, "n": number, "sleep": 0.1}, group)
    for group in ("ada", "bob", "cyd"):
        until(lambda group=group: len(stored(events, f"ended/{group}/")) == 6, f"{group} is worked off")
        for what in ("begun", "ended"):
            assert [event["n"] for event in stored(events, f"{what}/{group}/")] == list(range(6))
    records = events.api("events", "invocations", target="work", limit=200)["invocations"]
    spans = [(record["startedMs"], record["endedMs"]) for record in records if record["status"] == "SUCCEEDED"]
    assert any(a != b and a[0] < b[1] and b[0] < a[1] for a in spans for b in spans), "no two groups at once"


@pytest.mark.slow
def test_messages_that_linger_together_come_together(events: Tested):
    for number in range(7):
        send(events, "batched", number, "g")
    until(lambda: sum(map(len, stored(events, "batches/"))) == 7, "all are delivered")
    batches = stored(events, "batches/")
    assert [number for batch in batches for number in batch] == list(range(7))
    assert max(map(len, batches)) == 5


def test_a_message_that_fails_is_retried(events: Tested):
    send(events, "flaky", {"name": "thrice", "fails": 2})
    until(lambda: stored(events, "done/thrice") == [3], "the third attempt works")


def test_a_message_that_always_fails_is_a_dead_letter_which_is_told_of_and_replayed(events: Tested):
    id = send(events, "flaky", {"name": "never", "fails": 4})
    letters = until(lambda: json.loads(events.sand("triggers", "dead-letters", "events", "flaky", "-o", "json"))["deadLetters"],
                    "it is given up")  # fmt: skip
    assert [(letter["id"], letter["attempts"]) for letter in letters] == [(id, 3)]
    assert letters[0]["failure"]["error"] == "ValueError"
    (mourned,) = until(lambda: stored(events, "mourned/never"), "the handler is told")
    assert mourned["id"] == id
    assert mourned["attempts"] == 3
    assert mourned["failure"]["cause"] == "attempt 3 fails"
    events.sand("triggers", "replay", "events", "flaky", id)
    until(lambda: stored(events, "done/never") == [5], "replayed, it works in the end")
    assert events.http.get(f"{QUEUES}/flaky/dead-letters").json()["deadLetters"] == []
    is_problem(events.http.delete(f"{QUEUES}/flaky/dead-letters/{id}"), 404)


@pytest.mark.slow
def test_what_waits_in_a_queue_can_be_looked_at_and_stays(events: Tested):
    first = send(events, "orders", {"group": "looked", "n": 0, "sleep": 4, "big": 12345678901234567890}, "looked")
    text = events.http.post(f"{QUEUES}/orders?group=looked", content=b"\xff<b>", headers={"Content-Type": "image/x"}).json()[
        "id"
    ]
    large = send(events, "orders", {"group": "looked", "text": "x" * 20_000}, "looked")

    def peeked(limit: int = 100) -> Any:
        found = events.http.get(f"{QUEUES}/orders/messages", params={"limit": limit})
        assert found.status_code == 200, found.text
        assert limit == 1 or "12345678901234567890" in found.text
        return found.json()

    found = [message for message in peeked()["messages"] if message["group"] == "looked"]
    assert [message["id"] for message in found] == [first, text, large]
    assert [message["attempts"] for message in found] == [0, 0, 0]
    assert (found[0]["payload"]["n"], found[1]["payload"], found[1]["isBase64Encoded"]) == (0, "/zxiPg==", True)
    assert found[1]["contentType"] == "image/x" and found[1]["bytes"] == 4
    assert "payload" not in found[2] and found[2]["bytes"] > 20_000
    assert len(peeked(1)["messages"]) == 1 and peeked(1)["more"]
    told = events.sand("queues", "peek", "events", "orders").decode()
    assert first in told and large in told
    until(lambda: not events.http.get(f"{QUEUES}/orders/messages").json()["messages"], "they are worked off all the same")
    assert stored(events, "ended/looked/")[0]["n"] == 0
    is_problem(events.http.get(f"{QUEUES}/nothing/messages"), 404)


def test_a_message_that_waits_for_its_next_attempt_says_how_often_it_failed(events: Tested):
    id = send(events, "slow-again", {"name": "waits", "fails": 9})
    (found,) = until(
        lambda: [one for one in events.http.get(f"{QUEUES}/slow-again/messages").json()["messages"] if one["attempts"]],
        "one attempt has failed",
    )
    assert (found["id"], found["attempts"]) == (id, 1)


def test_the_same_id_is_delivered_once(events: Tested):
    for _ in range(3):
        response = events.http.post(
            f"{QUEUES}/orders?group=twice", json={"group": "twice"}, headers={"Idempotency-Key": "once"}
        )
        assert response.json()["id"] == "once"
    send(events, "orders", {"group": "twice", "last": True}, "twice")
    until(lambda: stored(events, "ended/twice/")[-1:] == [{"group": "twice", "last": True}], "the last one")
    assert len(stored(events, "ended/twice/")) == 2


def test_a_grain_sends_to_a_queue(events: Tested):
    messages = [{"group": "from-grain", "n": number} for number in range(3)]
    ids = events.ask("events/relay", {"queue": "orders", "group": "from-grain", "messages": messages})
    assert len(set(ids)) == 3
    until(lambda: stored(events, "ended/from-grain/") == messages, "they are delivered")
    failed = events.invoke("events/relay", {"queue": "nothing", "messages": [1]})
    assert failed.json()["error"] == "Sand.BadRequest"
    assert "no queue nothing" in failed.json()["detail"]


def test_a_change_of_watched_data_is_told(events: Tested):
    version = events.ask("events/relay", {"put": "uploads/photo"})
    events.ask("events/relay", {"put": "elsewhere/photo"})
    told = until(lambda: stored(events, "ended/put/"), "the change is told")
    assert told == [{"key": "uploads/photo", "operation": "put", "version": version}]


@pytest.mark.slow
def test_a_schedule_fires_while_it_is_armed(events: Tested):
    (beat,) = [trigger for trigger in events.api("events", "triggers")["triggers"] if trigger["name"] == "beat"]
    assert beat["armed"] is False
    assert stored(events, "ended/beat/") == []
    events.sand("triggers", "arm", "events", "beat")
    until(lambda: len(stored(events, "ended/beat/")) >= 2, "it fires twice")
    events.sand("triggers", "disarm", "events", "beat")
    fired = [event["scheduled"] for event in stored(events, "ended/beat/")]
    assert len(set(fired)) == len(fired)
    assert stored(events, "ended/beat/")[0]["input"] == {"note": "beat"}
    table = events.sand("triggers", "list", "events").decode()
    assert "beat" in table and "put of uploads/*" in table


def test_what_cannot_be_is_refused_at_the_door(events: Tested):
    is_problem(events.http.post(f"{QUEUES}/nothing", json=1), 404)
    is_problem(events.http.post(f"{QUEUES}/beat", json=1), 409)
    too_large = is_problem(events.http.post(f"{QUEUES}/orders", json="x" * 300_000), 413)
    assert too_large["limit"] == 256 * 1024
    files = {
        "sand.yaml": "name: bad\nqueues: {q: {target: nobody}}\ntriggers:\n"
        "  a: {cron: every day, target: work}\n  b: {cron: '0 3 * * *', timezone: Berlin, target: work}\n",
        "grains/work/handler.py": "def handle(event, context):\n    pass\n",
    }
    errors = is_problem(events.deploy_files(files), 422)["errors"]
    assert [error["pointer"] for error in errors] == ["/queues/q/target", "/triggers/a/cron", "/triggers/b/cron"]


@pytest.mark.slow
def test_kill_9_in_between_loses_nothing(tmp_path: Path):
    home = Path(f"/tmp/sand-kill-{os.getpid()}")
    home.mkdir(mode=0o711)
    sent = 30
    try:
        with LocalPlatform(*sandbox_option(), home=home) as local:
            platform = Tested(local)
            platform.deploy(APPLICATIONS / "events")
            for number in range(sent):
                send(platform, "orders", {"group": f"g{number % 3}", "n": number, "sleep": 0.05}, f"g{number % 3}")
            until(lambda: len(stored(platform, "ended/g")) >= 5, "some are worked off")
            local.kill()
        with LocalPlatform(*sandbox_option(), home=home) as local:
            platform = Tested(local)
            for group in range(3):
                wanted = list(range(group, sent, 3))
                found = until(
                    lambda group=group, wanted=wanted: (lambda seen: seen if set(seen) >= set(wanted) else None)(
                        [event["n"] for event in stored(platform, f"ended/g{group}/")]
                    ),
                    f"group {group} is worked off",
                )
                # A message may have been worked on twice, in its place.
                assert [number for i, number in enumerate(found) if number not in found[:i]] == wanted
            until(
                lambda: all(queue["waiting"] == 0 for queue in platform.api("events", "queues")["queues"]),
                "the queues are empty",
            )
    finally:
        shutil.rmtree(home, ignore_errors=True)
