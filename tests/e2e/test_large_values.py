"""Large values travel by reference through shared memory: mapped, not copied (decision 9)."""

import io
import json

import httpx
import numpy
import pytest
from conftest import Tested, zipped

MIB = 1 << 20


@pytest.mark.parametrize("size", [64 << 10, MIB, pytest.param(100 * MIB, marks=pytest.mark.slow)])
def test_an_array_passes_between_grains_mapped_and_not_copied(probe: Tested, size):
    seen = probe.ask("probe/arrays", {"bytes": size})
    count = size // 8
    assert seen["sum"] == count * (count - 1) // 2
    if size > 64 << 10:
        assert seen["mapping"].startswith("/memfd:"), seen
        assert seen["permissions"].startswith("r-"), seen
        assert not seen["writeable"]
    if size >= 100 * MIB:
        assert seen["anonymous"] < 60 * MIB


def test_a_large_output_reaches_the_client_whole(probe: Tested):
    response = probe.invoke("probe/make_array", {"bytes": 4 * MIB})
    assert response.headers["content-type"] == "application/x-npy"
    array = numpy.load(io.BytesIO(response.content))
    assert (array == numpy.arange(4 * MIB // 8)).all()


def test_a_large_input_reaches_the_grain_whole(probe: Tested):
    data = numpy.random.default_rng(7).bytes(3 * MIB)
    response = probe.http.post("/invoke/probe/echo", content=data, headers={"Content-Type": "application/octet-stream"})
    assert response.content == data


def test_a_large_json_value_is_decoded_all_the_same(probe: Tested):
    value = {"text": "grain " * 50_000}
    assert probe.ask("probe/echo", value) == value


@pytest.mark.slow
def test_segments_are_given_back(probe: Tested):
    """Far more bytes in all than an application may have at once."""
    for _ in range(40):
        probe.ask("probe/arrays", {"bytes": 32 * MIB})


@pytest.mark.slow
def test_a_large_output_of_an_asynchronous_invocation_is_fetched_afterwards(probe: Tested):
    size = 80 * MIB
    accepted = probe.invoke("probe/make_array", {"bytes": size}, Prefer="respond-async")
    assert accepted.status_code == 202
    record = probe.ended("probe", accepted.json()["executionId"])
    assert record["output"]["size"] > size
    for _ in range(2):
        output = probe.http.get(f"/api/v1/applications/probe/invocations/{record['executionId']}/output")
        assert output.status_code == 200
        assert int(output.headers["content-length"]) == record["output"]["size"]
        assert (numpy.load(io.BytesIO(output.content)) == numpy.arange(size // 8)).all()


MAKE = {"Type": "Task", "Resource": "text", "ResultPath": "$.made"}
MEASURE = {"Type": "Task", "Resource": "measure", "End": True}
HANDED_ON = {
    "a-grain": MEASURE,
    "branches": {
        "Type": "Parallel",
        "Branches": [{"StartAt": name, "States": {name: MEASURE}} for name in ("Measure", "Again")],
        "OutputPath": "$[1]",
        "End": True,
    },
    "items": {
        "Type": "Map",
        "ItemsPath": "$.numbers",
        "ItemSelector": {"pad.$": "$.pad", "made.$": "$.made"},
        "ItemProcessor": {"StartAt": "Measure", "States": {"Measure": MEASURE}},
        "OutputPath": "$[1]",
        "End": True,
    },
    "a-workflow": {
        "Type": "Task",
        "Resource": "arn:aws:states:::states:startExecution.sync:2",
        "Parameters": {"StateMachineArn": "only-measure", "Input.$": "$"},
        "OutputPath": "$.Output",
        "End": True,
    },
}


@pytest.fixture(scope="module", params=["relaxed", "strict"])
def joins(either: str, request: pytest.FixtureRequest) -> str:
    """The address of the application's targets."""
    name = f"joins-{request.param}"
    files = {
        "sand.yaml": f"name: {name}\ndurability: {request.param}\n",
        "grains/text/handler.py": 'def handle(event, context):\n    return "x" * event["length"]\n',
        "grains/measure/handler.py": 'def handle(event, context):\n    return [len(event["pad"]), len(event["made"])]\n',
        "workflows/only-measure.asl.json": json.dumps({"StartAt": "Measure", "States": {"Measure": MEASURE}}),
    }
    for workflow, state in HANDED_ON.items():
        definition = {"StartAt": "Make", "States": {"Make": MAKE | {"Next": "Hand on"}, "Hand on": state}}
        files[f"workflows/{workflow}.asl.json"] = json.dumps(definition)
    headers = {"Content-Type": "application/zip"}
    answer = httpx.post(f"{either}/api/v1/applications", content=zipped(files), headers=headers, timeout=120)
    assert answer.status_code in (200, 201), answer.text
    return f"{either}/invoke/{name}"


@pytest.mark.slow
@pytest.mark.parametrize("name", HANDED_ON)
def test_what_a_workflow_joins_may_be_larger_than_a_frame(joins: str, name: str):
    order = {"pad": "y" * 2_000_000, "length": 3_000_000, "numbers": [1, 2]}
    answer = httpx.post(f"{joins}/{name}", json=order, timeout=120)
    assert answer.status_code == 200, answer.text
    assert answer.json() == [2_000_000, 3_000_000]
