"""Workflows that start workflows and send to queues: docs/WORKFLOWS.md, "Task resources"."""

import contextlib
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import Tested, until
from sand.emulator.emulator import Emulator

pytestmark = pytest.mark.slow

ARN = "arn:aws:states:us-east-1:123456789012:stateMachine:child"
FILES = {
    "sand.yaml": "name: nest\nqueues:\n  orders: {target: note}\n",
    "grains/work/handler.py": (
        "import time\n\n\ndef handle(event, context):\n"
        "    time.sleep(event.get('sleep', 0))\n"
        "    if event.get('fails') and not context.data.get('mended'):\n        raise ValueError('no stock')\n"
        "    context.data.put(f'work/{context.execution_id}', 1)\n    return {'n': event.get('n', 0) + 1}\n"
    ),
    "grains/note/handler.py": (
        "def handle(event, context):\n    context.data.put(f'notes/{context.invocation_id}', event)\n    return event\n"
    ),
    "grains/notes/handler.py": (
        "def handle(event, context):\n    return [context.data.get(key) for key in context.data.list('notes/')]\n"
    ),
    "grains/mend/handler.py": "def handle(event, context):\n    context.data.put('mended', event)\n    return event\n",
    "workflows/child.asl.json": json.dumps(
        {"StartAt": "Work", "States": {"Work": {"Type": "Task", "Resource": "work", "End": True}}}
    ),
}


def workflow(resource: str, **more: Any) -> str:
    return json.dumps({"StartAt": "T", "States": {"T": {"Type": "Task", "Resource": resource, "End": True, **more}}})


def starts(kind: str, **more: Any) -> str:
    parameters = {"StateMachineArn": ARN, "Input.$": "$", **({"Name": more.pop("Name")} if "Name" in more else {})}
    return workflow(f"arn:aws:states:::states:startExecution{kind}", Parameters=parameters, **more)


WORKFLOWS = {
    "own": workflow("sand:workflow:child"),
    "named": starts("", Name="monday"),
    "named-sync": starts(".sync:2", Name="tuesday"),
    "hurried": starts(".sync:2", TimeoutSeconds=1),
    "computed": workflow(
        "arn:aws:states:::states:startExecution.sync:2", Parameters={"StateMachineArn.$": "$.arn", "Input": {}}
    ),
    "elsewhere": workflow("arn:aws:states:::sqs:sendMessage", Parameters={"QueueUrl.$": "$.queue", "MessageBody": "m"}),
    "own-queue": workflow("sand:queue:orders", ResultPath="$.sent"),
    "sync": starts(".sync:2"),
    "start": starts(""),
    "send": workflow(
        "arn:aws:states:::sqs:sendMessage",
        Parameters={"QueueUrl": "https://sqs.us-east-1.amazonaws.com/123456789012/orders", "MessageBody.$": "$.order"},
    ),
}


class Emulated(Tested):
    """The emulator, asked as a platform is."""

    def __init__(self, url: str) -> None:
        super().__init__(SimpleNamespace(server=url, home=None))  # type: ignore[arg-type]


@pytest.fixture(scope="module", params=["platform", "emulator"])
def nest(request: pytest.FixtureRequest) -> Iterator[Tested]:
    with contextlib.ExitStack() as open_:
        if request.param == "platform":
            server: Tested = request.getfixturevalue("tested")
        else:
            server = Emulated(open_.enter_context(Emulator()).url)
        workflows = {f"workflows/{name}.asl.json": text for name, text in WORKFLOWS.items()}
        response = server.deploy_files(FILES | workflows)
        assert response.status_code < 300, response.text
        yield server
        server.http.delete("/api/v1/applications/nest")


# The emulator keeps no history.
on_the_platform = pytest.mark.parametrize("nest", ["platform"], indirect=True)


def test_the_result_of_a_child_is_its_parents(nest: Tested):
    assert nest.ask("nest/own", {"n": 1}) == {"n": 2}
    described = nest.ask("nest/sync", {"n": 4})
    assert (described["Status"], described["Input"], described["Output"]) == ("SUCCEEDED", {"n": 4}, {"n": 5})
    record = nest.ended("nest", described["ExecutionArn"])
    assert (record["target"], record["status"]) == ("child", "SUCCEEDED")
    assert described["StartDate"] <= described["StopDate"]


def test_a_child_that_fails_fails_its_parent_with_its_description(nest: Tested):
    problem = nest.invoke("nest/sync", {"fails": True}).json()
    assert problem["error"] == "States.TaskFailed"
    cause = json.loads(problem["detail"])
    assert (cause["Status"], cause["Error"], cause["Cause"]) == ("FAILED", "ValueError", "no stock")
    assert nest.invoke("nest/own", {"fails": True}).json()["error"] == "ValueError"


def test_a_child_that_is_not_waited_for_runs_on_its_own(nest: Tested):
    started = nest.ask("nest/start", {"sleep": 0.5})
    assert set(started) == {"ExecutionArn", "StartDate"}
    assert nest.ended("nest", started["ExecutionArn"])["status"] == "SUCCEEDED"


def test_stopping_the_parent_stops_the_child_that_it_waits_for(nest: Tested):
    response = nest.invoke("nest/sync", {"sleep": 20}, Prefer="respond-async")
    parent = response.json()["executionId"]
    page = {"target": "child", "status": "RUNNING"}
    child = until(lambda: nest.api("nest", "invocations", **page)["invocations"], "the child runs")[0]["executionId"]
    nest.http.post(f"/api/v1/applications/nest/invocations/{parent}/cancel")
    assert nest.ended("nest", parent)["status"] == "CANCELLED"
    assert nest.ended("nest", child)["status"] == "CANCELLED"


def test_a_name_is_given_to_one_execution(nest: Tested):
    first = nest.ask("nest/named", {"n": 1})
    assert nest.ask("nest/named", {"n": 1}) == first
    refused = nest.invoke("nest/named", {"n": 2}).json()
    assert refused["error"] == "StepFunctions.ExecutionAlreadyExistsException"
    assert first["ExecutionArn"] in refused["detail"]
    assert nest.ask("nest/named-sync", {"n": 3})["Name"] == "tuesday"
    again = nest.invoke("nest/named-sync", {"n": 3}).json()
    assert again["error"] == "StepFunctions.ExecutionAlreadyExistsException"


def test_a_child_is_stopped_when_its_parent_waits_no_more(nest: Tested):
    failed = nest.invoke("nest/hurried", {"sleep": 30, "n": 70}).json()
    assert failed["error"] == "States.Timeout"

    def newest() -> dict[str, Any]:
        return nest.api("nest", "invocations", target="child", limit=1)["invocations"][0]

    until(lambda: newest()["status"] != "RUNNING", "the child has ended")
    assert newest()["status"] == "CANCELLED"


def test_what_is_not_there_fails_the_task(nest: Tested):
    refused = nest.invoke("nest/computed", {"arn": "nobody"}).json()
    assert refused["error"] == "StepFunctions.StateMachineDoesNotExistException"
    refused = nest.invoke("nest/elsewhere", {"queue": "nobody"}).json()
    assert refused["error"] == "SQS.QueueDoesNotExistException"


WRONG = {
    "a workflow that is not there": (workflow("sand:workflow:nobody"), "/States/T/Resource"),
    "a machine that is not there": (
        starts("").replace("stateMachine:child", "stateMachine:nobody"),
        "/States/T/Parameters/StateMachineArn",
    ),
    "a queue that is not there": (workflow("sand:queue:nobody"), "/States/T/Resource"),
    "a parameter that is not taken": (
        WORKFLOWS["send"].replace('"MessageBody.$"', '"DelaySeconds": 3, "MessageBody.$"'),
        "/States/T/Parameters/DelaySeconds",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_task_of_what_is_not_there_is_refused(nest: Tested, name: str):
    definition, pointer = WRONG[name]
    files = FILES | {"sand.yaml": "name: wrong\nqueues:\n  orders: {target: note}\n", "workflows/w.asl.json": definition}
    refused = nest.deploy_files(files)
    assert refused.status_code == 422, refused.text
    assert [(error["file"], error["pointer"]) for error in refused.json()["errors"]] == [("workflows/w.asl.json", pointer)]


def test_a_message_reaches_the_queues_grain(nest: Tested):
    sent = nest.ask("nest/send", {"order": "abc"})
    assert sent["MD5OfMessageBody"] == "900150983cd24fb0d6963f7d28e17f72"  # RFC 1321, A.5
    until(lambda: nest.ask("nest/notes") == ["abc"], "the message is delivered")
    assert set(sent) == {"MD5OfMessageBody", "MessageId"}
    assert set(nest.ask("nest/own-queue", {"n": 1})["sent"]) == {"MD5OfMessageBody", "MessageId"}
    until(lambda: {"n": 1} in nest.ask("nest/notes"), "the message is delivered")


def history(platform: Tested, execution: str, **query: Any) -> dict[str, Any]:
    response = platform.http.get(f"/api/v1/applications/nest/invocations/{execution}/history", params=query)
    assert response.status_code == 200, response.text
    return response.json()


@on_the_platform
def test_the_history_of_an_execution_that_ended_has_its_states_in_aws_events(nest: Tested):
    child = nest.ask("nest/sync", {"n": 1})["ExecutionArn"]
    nest.ended("nest", child)
    told = history(nest, child)
    # AWS Step Functions API Reference, GetExecutionHistory and HistoryEvent
    assert [(event["id"], event["previousEventId"], event["type"]) for event in told["events"]] == [
        (1, 0, "ExecutionStarted"),
        (2, 0, "TaskStateEntered"),
        (3, 2, "LambdaFunctionScheduled"),
        (4, 3, "LambdaFunctionStarted"),
        (5, 4, "LambdaFunctionSucceeded"),
        (6, 5, "TaskStateExited"),
        (7, 6, "ExecutionSucceeded"),
    ]
    entered, left = told["events"][1]["stateEnteredEventDetails"], told["events"][5]["stateExitedEventDetails"]
    assert entered == {"name": "Work", "input": '{"n":1}', "inputDetails": {"truncated": False}}
    assert left == {"name": "Work", "output": '{"n":2}', "outputDetails": {"truncated": False}}
    first = history(nest, child, limit=4)
    assert first["next"] == 4
    assert [event["id"] for event in history(nest, child, after=4)["events"]] == [5, 6, 7]
    assert [event["id"] for event in history(nest, child, reverse="true", limit=2)["events"]] == [7, 6]


@on_the_platform
def test_a_failure_is_in_the_history(nest: Tested):
    response = nest.invoke("nest/own", {"fails": True}, Prefer="respond-async")
    parent = response.json()["executionId"]
    nest.ended("nest", parent)
    events = history(nest, parent)["events"]
    assert [event["type"] for event in events][-2:] == ["TaskFailed", "ExecutionFailed"]
    assert events[-2]["taskFailedEventDetails"] == {
        "error": "ValueError",
        "cause": "no stock",
        "resourceType": "workflow",
        "resource": "child",
    }


@on_the_platform
def test_the_history_of_an_execution_that_runs_can_be_read_and_then_its_abortion(nest: Tested):
    parent = nest.invoke("nest/sync", {"sleep": 20}, Prefer="respond-async").json()["executionId"]

    def told() -> dict[str, Any] | None:
        found = history(nest, parent)
        assert found["status"] == "RUNNING"
        return found if [event["type"] for event in found["events"]][-1:] == ["TaskSubmitted"] else None

    until(told, "it waits for the other one, and its history says so")
    nest.sand("invocations", "cancel", "nest", parent, "--error", "Enough", "--cause", "seen it")
    assert nest.ended("nest", parent)["failure"]["error"] == "Enough"
    last = history(nest, parent)["events"][-1]
    assert (last["type"], last["executionAbortedEventDetails"]) == ("ExecutionAborted", {"error": "Enough", "cause": "seen it"})
    shown = json.loads(nest.sand("invocations", "history", "nest", parent, "-o", "json"))
    assert shown["events"] == history(nest, parent)["events"]
