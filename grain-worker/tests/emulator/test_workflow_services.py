"""Tasks that start workflows and send to queues: what is the emulator's own, or takes many executions."""

import hashlib
import json

import pytest

from sand.emulator import applications
from sand.emulator.harness import CallFailed, Harness

DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
START = "arn:aws:states:::states:startExecution"


def application(folder, sand_yaml="name: app\n", **workflows):
    (folder / "sand.yaml").write_text(sand_yaml)
    (folder / "grains/work").mkdir(parents=True)
    (folder / "grains/work/handler.py").write_text("def handle(event, context):\n    return event\n")
    (folder / "workflows").mkdir()
    for name, task in workflows.items():
        definition = {"StartAt": "T", "States": {"T": {"Type": "Task", "End": True, **task}}}
        (folder / f"workflows/{name}.asl.json").write_text(json.dumps(definition))
    return Harness(folder)


def starting(workflow, kind=".sync:2", **parameters):
    return {"Resource": START + kind, "Parameters": {"StateMachineArn": workflow, "Input.$": "$", **parameters}}


def test_a_childs_id_follows_from_its_parents_and_the_step(tmp_path):
    with application(tmp_path, main=starting("child"), child={"Resource": "work"}) as app:
        running = app.start("main", {"n": 1})
        child = running.result().output["ExecutionArn"]
        number = sum(DIGITS.index(digit) << 5 * at for at, digit in enumerate(reversed(child)))
        drawn = hashlib.sha256(f"{running.id}/T".encode()).digest()[:10]
        assert number & (1 << 80) - 1 == int.from_bytes(drawn)


@pytest.mark.slow
def test_many_children_at_once_wait_for_their_turn(tmp_path):
    each = {"StartAt": "S", "States": {"S": {"Type": "Task", "Resource": "sand:workflow:child", "End": True}}}
    with application(tmp_path, main={"Type": "Map", "ItemProcessor": each}, child={"Resource": "work"}) as app:
        assert app.call("main", list(range(300))) == list(range(300))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [".sync", ".sync:2"])
def test_a_workflow_that_starts_itself_without_an_end_fails(tmp_path, kind):
    with application(tmp_path, main=starting("main", kind), child={"Resource": "work"}) as app:
        with pytest.raises(CallFailed) as failed:
            app.call("main", {"a": '"'})
        assert failed.value.error == "States.TaskFailed"
        assert len(failed.value.cause) < 1 << 20
        assert app.call("child", 1) == 1


def test_a_task_that_goes_on_leaves_its_child_running(tmp_path):
    with application(tmp_path, main=starting("child", ""), child={"Type": "Wait", "Seconds": 30}) as app:
        assert set(app.call("main", {})) == {"ExecutionArn", "StartDate"}


def test_a_child_takes_its_parents_virtual_time(tmp_path):
    slow = {"Type": "Wait", "Seconds": 9}
    with application(tmp_path, main=starting("child"), late=starting("child") | {"TimeoutSeconds": 2}, child=slow) as app:
        assert app.workflow("main", {"n": 1}).elapsed_ms == 9000
        outcome = app.workflow("late", {})
        assert (outcome.error, outcome.elapsed_ms) == ("States.Timeout", 2000)
        with pytest.raises(KeyError, match="no workflow other"):
            app.workflow("other")


def test_a_queue_takes_a_steps_message_in_its_group(tmp_path):
    sending = {
        "Resource": "arn:aws:states:::sqs:sendMessage",
        "Parameters": {"QueueUrl": "https://host/1/orders.fifo", "MessageBody.$": "$", "MessageGroupId": "g"},
    }
    with application(tmp_path, "name: app\nqueues: {orders: {target: work}}\n", main=sending) as app:
        sent = app.call("main", {"n": 1})
        assert app.waiting("orders") == 1
        app.drain()
        assert (app.waiting("orders"), app.dead_letters("orders"), len(sent["MessageId"])) == (0, [], 26)


def test_a_workflow_in_virtual_time_sends_to_queues_and_not_to_grains_of_the_same_name(tmp_path):
    sending = {
        "Resource": "arn:aws:states:::sqs:sendMessage",
        "Parameters": {"QueueUrl": "work", "MessageBody.$": "$", "MessageGroupId": "g"},
    }
    with application(tmp_path, "name: app\nqueues: {work: {target: work, depth: 2}}\n", main=sending) as app:
        first, second = (app.workflow("main", {"price": 1.5}).plain_output() for _ in range(2))
        assert first["MessageId"] != second["MessageId"]
        assert (app.waiting("work"), first["MD5OfMessageBody"]) == (2, hashlib.md5(b'{"price":1.5}').hexdigest())
        assert app.workflow("main", [1]).error == "SQS.AmazonSQSException", "the queue is full"
        app.drain()
        assert (app.waiting("work"), app.dead_letters("work")) == (0, [])
        assert app.workflow("main", [1], stubs={"work": {"raise": {"error": "Shut"}}}).error == "Shut"
        assert app.workflow("main", [1], stubs={"sendMessage": {"return": "sent"}}).output == "sent"
        assert app.waiting("work") == 0, "a stub takes the queue's place"


def test_a_message_with_a_token_is_answered_in_virtual_time(tmp_path):
    sending = {
        "Resource": "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
        "Parameters": {"QueueUrl": "orders", "MessageBody": {"token.$": "$$.Task.Token"}},
    }
    with application(tmp_path, "name: app\nqueues: {orders: {target: work}}\n", main=sending) as app:
        outcome = app.workflow("main", {}, callbacks={"orders": {"success": "done", "seconds": 60}})
        assert (outcome.output, outcome.elapsed_ms, app.waiting("orders")) == ("done", 60_000, 1)
        with pytest.raises(KeyError, match="no grain, workflow or queue order"):
            app.workflow("main", {}, callbacks={"order": {"success": 1}})


def test_a_message_over_the_limit_of_a_queue_fails_the_task(tmp_path):
    sending = {"Resource": "sand:queue:orders"}
    with application(tmp_path, "name: app\nqueues: {orders: {target: work}}\n", main=sending) as app:
        with pytest.raises(CallFailed) as failed:
            app.call("main", "x" * (256 << 10))
        assert failed.value.error == "SQS.AmazonSQSException"


def test_an_execution_that_waits_is_kept_however_many_end(tmp_path, monkeypatch):
    monkeypatch.setattr(applications, "RECORDS", 2)
    waiting = {"Resource": "work.waitForTaskToken", "Parameters": {"token.$": "$$.Task.Token"}}
    with application(tmp_path, main=waiting) as app:
        running = app.start("main", {})
        token = running.token()
        assert [app.call("work", n) for n in range(4)] == [0, 1, 2, 3]
        assert app.succeed(token, "at last") and running.result().output == "at last"


def test_a_workflow_in_virtual_time_starts_others_with_the_same_stubs(tmp_path):
    with application(tmp_path, main=starting("child"), child={"Resource": "work"}) as app:
        done = app.workflow("main", {"n": 1}).plain_output()
        assert (done["Status"], done["Output"]) == ("SUCCEEDED", {"n": 1})
        failing = {"work": {"raise": {"error": "Broken", "cause": "why"}}}
        failed = app.workflow("main", {}, stubs=failing)
        assert (failed.error, json.loads(failed.cause)["Error"]) == ("States.TaskFailed", "Broken")
        assert app.workflow("main", {}, stubs={"child": {"return": 7}}).plain_output()["Output"] == 7
