"""Queues, schedules and changes of data: over the emulator's HTTP interface, and in a test's hands."""

import json
import textwrap
import time

import pytest

from sand.emulator.harness import Harness
from sand.emulator.problems import Failure, Problem
from sand.emulator.queue_run import Batch, Group, Message
from sand.emulator.trigger_events import DeadLetter, batch_event, letter_event
from sand.messages import Payload

MANIFEST = """
name: app
queues:
  orders: {target: work, retries: 1, backoff: 50ms, onFailure: mourn, depth: 3}
  batched: {target: work, batch: 5, linger: 300ms}
triggers:
  nightly: {cron: "30 3 * * *", timezone: Europe/Berlin, target: work, input: {depth: 3}}
  beat: {every: 1s, target: work, armed: false}
  uploads: {data: {prefix: up/, operations: [put]}, target: work}
"""
WORK = """
    import time

    def handle(event, context):
        if isinstance(event, dict) and event.get("fails"):
            raise ValueError("no good")
        if isinstance(event, dict):
            time.sleep(event.get("sleep", 0))
        context.data.put(f"seen/{context.data.counter('n'):03d}", event)
"""
RELAY = """
    def handle(event, context):
        if "put" in event:
            return context.data.put(event["put"], 1)
        if "queue" in event:
            return context.enqueue(event["queue"], event["message"], group=event.get("group"))
        return [context.data.get(key) for key in context.data.list(event["prefix"])]
"""
QUEUES = "/api/v1/applications/app/queues"


def write(folder) -> None:
    for name, code in (
        ("work", WORK),
        ("relay", RELAY),
        ("mourn", "def handle(event, context):\n    context.data.put('mourned', event)\n"),
    ):
        path = folder / "grains" / name / "handler.py"
        path.parent.mkdir(parents=True, exist_ok=True)

        path.write_text(textwrap.dedent(code))
    (folder / "sand.yaml").write_text(MANIFEST)


@pytest.fixture
def queued(forked):
    write(forked.folder)
    forked.emulator.applications.load(forked.folder)
    return forked


@pytest.fixture
def harness(tmp_path):
    write(tmp_path)
    with Harness(tmp_path) as application:
        yield application


def until(look, seconds: float = 60.0):
    end = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def test_a_message_is_delivered_and_an_id_once(queued):
    for _ in range(2):
        sent = queued.http.post(f"{QUEUES}/orders?group=ada", json={"n": 1}, headers={"Idempotency-Key": "k1"})
        assert (sent.status_code, sent.json()) == (202, {"id": "k1", "queue": "orders", "group": "ada"})
    assert until(lambda: queued.ask("relay", {"prefix": "seen/"})) == [{"n": 1}]
    shown = {queue["name"]: queue for queue in queued.http.get(QUEUES).json()["queues"]}
    assert (shown["orders"]["retries"], shown["orders"]["trigger"], shown["nightly"]["trigger"]) == (1, False, True)


@pytest.mark.slow
def test_what_is_not_worked_off_is_looked_at_and_stays(queued):
    sent = [queued.http.post(f"{QUEUES}/orders?group=g", content=body).json()["id"] for body in (b'{"sleep": 3}', b'{"n": 2}')]
    found = queued.http.get(f"{QUEUES}/orders/messages").json()
    assert [(one["id"], one["group"], one["attempts"]) for one in found["messages"]] == [(id, "g", 0) for id in sent]
    assert (found["messages"][1]["payload"], found["messages"][1]["bytes"], found["more"]) == ({"n": 2}, 8, False)
    first = queued.http.get(f"{QUEUES}/orders/messages?limit=1").json()
    assert ([one["id"] for one in first["messages"]], first["more"]) == (sent[:1], True)
    assert until(lambda: queued.http.get(f"{QUEUES}/orders/messages").json()["messages"] == [])
    assert len(queued.ask("relay", {"prefix": "seen/"})) == 2


def test_a_dead_letter_is_told_of_replayed_and_dropped(queued):
    id = queued.http.post(f"{QUEUES}/orders", json={"fails": True}).json()["id"]
    (letter,) = until(lambda: queued.http.get(f"{QUEUES}/orders/dead-letters").json()["deadLetters"])
    assert (letter["id"], letter["attempts"], letter["failure"]["cause"]) == (id, 2, "no good")
    assert letter["payload"] == {"fails": True}
    assert queued.http.post(f"{QUEUES}/orders/dead-letters/{id}/replay").json() == {"replayed": 1}
    again = until(lambda: [one["id"] for one in queued.http.get(f"{QUEUES}/orders/dead-letters").json()["deadLetters"]])
    assert again[0].startswith(f"{id}.replay-")
    assert queued.http.delete(f"{QUEUES}/orders/dead-letters").json() == {"dropped": 1}
    assert queued.http.delete(f"{QUEUES}/orders/dead-letters/{id}").json()["type"].endswith("/unknown-dead-letter")


@pytest.mark.slow
def test_a_schedule_fires_while_it_is_armed(queued):
    armed = queued.http.post("/api/v1/applications/app/triggers/beat/arm").json()
    assert (armed["armed"], armed["schedule"]) == (True, "every 1000 ms") and armed["nextMs"] > 0
    seen = until(lambda: queued.ask("relay", {"prefix": "seen/"}))
    assert seen[0]["trigger"] == "beat" and seen[0]["scheduled"].endswith("Z")
    assert queued.http.post("/api/v1/applications/app/triggers/beat/disarm").json()["armed"] is False
    assert queued.http.post("/api/v1/applications/app/triggers/no/arm").json()["type"].endswith("/unknown-trigger")


def test_what_cannot_be_sent_is_refused(queued):
    assert queued.http.post(f"{QUEUES}/nothing", json=1).json()["type"].endswith("/unknown-queue")
    assert queued.http.post(f"{QUEUES}/beat", json=1).status_code == 409
    assert queued.http.post(f"{QUEUES}/orders", json="x" * 300_000).json()["limit"] == 256 * 1024
    assert queued.http.post(f"{QUEUES}/orders?group=", json=1).status_code == 400
    assert queued.http.post(f"{QUEUES}/orders", json=1, headers={"Idempotency-Key": "a b"}).status_code == 400
    assert queued.call("relay", {"queue": "no", "message": 1}).json()["error"] == "Sand.BadRequest"
    large = queued.call("relay", {"queue": "orders", "message": "x" * 300_000}).json()
    assert large["error"] == "Sand.TooLarge"


def test_a_test_says_when(harness):
    for n in (1, 2):
        harness.enqueue("batched", n, group="g")
    assert harness.waiting("batched") == 2 and harness.data.list("seen/") == []
    harness.drain()
    (batch,) = [harness.data.get(key) for key in harness.data.list("seen/")]
    assert [(message["payload"], message["group"]) for message in batch] == [(1, "g"), (2, "g")]


def test_a_batch_has_the_messages_as_they_were_written():
    texts = [b'{"n": 0.12345678901234567890, "big": 1e400}', b"[ 1 ]", b"", b"\x00\xff"]
    kinds = ["application/json"] * 3 + ["application/octet-stream"]
    messages = [
        Message(f"m{at}", None, Payload(kind, text), at) for at, (kind, text) in enumerate(zip(kinds, texts, strict=True))
    ]
    event = batch_event(Batch(Group(None, False), tuple(messages))).bytes
    assert b'"payload":{"n": 0.12345678901234567890, "big": 1e400}}' in event
    assert [one["payload"] for one in json.loads(event, parse_float=str)[1:]] == [[1], None, "AP8="]
    letter = DeadLetter(messages[0], "q", 1, 1, Failure("E", "why"), None)
    assert letter_event(letter).bytes.endswith(b',"payload":' + texts[0] + b"}")


def test_a_schedule_is_fired_by_a_test(harness):
    harness.fire("nightly", 1_704_067_200_000)
    assert harness.data.get("seen/001") == {"trigger": "nightly", "scheduled": "2024-01-01T00:00:00Z", "input": {"depth": 3}}


def test_a_change_of_watched_data_is_told(harness):
    version = harness.call("relay", {"put": "up/a"})
    harness.call("relay", {"put": "down/a"})
    harness.drain()
    assert [harness.data.get(key) for key in harness.data.list("seen/")] == [
        {"key": "up/a", "operation": "put", "version": version}
    ]


def test_pauses_cost_a_test_nothing_and_dead_letters_are_there(harness):
    harness.call("relay", {"queue": "orders", "message": {"fails": True}, "group": "g"})
    harness.drain()
    (letter,) = harness.dead_letters("orders")
    assert (letter.attempts, letter.failure.error, letter.message.group) == (2, "ValueError", "g")
    mourned = harness.data.get("mourned")
    assert (mourned["queue"], mourned["attempts"], mourned["payload"]) == ("orders", 2, {"fails": True})


def test_a_queue_that_is_full_refuses(harness):
    for n in range(3):
        harness.enqueue("orders", n)
    refused = harness.invoke("relay", {"queue": "orders", "message": 4})
    assert refused.error == "Sand.Overloaded" and "as many as its depth allows" in (refused.cause or "")


def test_what_is_no_queue_or_trigger_is_refused_with_its_place(tmp_path):
    write(tmp_path)
    (tmp_path / "sand.yaml").write_text(
        "name: app\nqueues: {q: {target: nobody, linger: 31d}}\n"
        "triggers:\n  a: {cron: every day, target: work}\n  q: {every: 10ms, target: work}\n"
    )
    with pytest.raises(Problem) as refused:
        Harness(tmp_path)
    places = sorted(error["pointer"] for error in json.loads(refused.value.to_json())["errors"])
    assert places == ["/queues/q/linger", "/queues/q/target", "/triggers/a/cron", "/triggers/q", "/triggers/q/every"]


def test_a_task_of_a_service_is_refused_with_what_there_is(tmp_path):
    write(tmp_path)
    (tmp_path / "workflows").mkdir()
    put = {"TableName": "t", "Item": {}}
    task = {"Type": "Task", "Resource": "arn:aws:states:::dynamodb:putItem", "Parameters": put, "End": True}
    (tmp_path / "workflows/w.asl.json").write_text(json.dumps({"StartAt": "A", "States": {"A": task}}))
    with pytest.raises(Problem) as refused:
        Harness(tmp_path)
    (error,) = json.loads(refused.value.to_json())["errors"]
    assert error["pointer"] == "/States/A/Resource" and "states:startExecution and sqs:sendMessage" in error["detail"]
