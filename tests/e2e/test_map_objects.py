"""Maps that read their items from objects of the application and write their results into some, on the platform."""

import json
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import Tested, sandbox_option, until
from sand.command.local import LocalPlatform

pytestmark = pytest.mark.slow

GRAINS = {
    "grains/objects/handler.py": """
def handle(event, context):
    objects = context.data.objects
    if "put" in event:
        return objects.put(event["put"], event["text"].encode())
    if "count" in event:
        return len(objects.list(event["count"] + "/"))
    found = objects.get(event["get"])
    return found.decode() if isinstance(found, bytes) else found
""",
    "grains/seen/handler.py": """
import time
def handle(event, context):
    time.sleep(event.get("seconds", 0))
    if "counts" in event:
        context.data.objects.put(event["counts"] + "/" + event["n"], b"")
    return {"n": event["n"], "twice": 2 * int(event["n"])}
""",
}


def over_csv(**more: Any) -> dict[str, Any]:
    seen = {"Type": "Task", "Resource": "seen", "End": True}
    processor = {
        "ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"},
        "StartAt": "Seen",
        "States": {"Seen": seen},
    }
    reader = {
        "Resource": "arn:aws:states:::s3:getObject",
        "ReaderConfig": {"InputType": "CSV", "CSVHeaderLocation": "FIRST_ROW"},
        "Parameters": {"Bucket": "in", "Key.$": "$.key"},
    }
    all_ = {"Type": "Map", "ItemReader": reader, "ItemProcessor": processor, "End": True, **more}
    return {"StartAt": "All", "States": {"All": all_}}


WRITER = {"Resource": "arn:aws:states:::s3:putObject", "Parameters": {"Bucket": "out", "Prefix": "runs"}}


def application(name: str, **workflows: dict[str, Any]) -> dict[str, str]:
    definitions = {f"workflows/{flow}.asl.json": json.dumps(definition) for flow, definition in workflows.items()}
    return {"sand.yaml": f"name: {name}\n", **GRAINS, **definitions}


def rows(count: int, padding: int = 0) -> str:
    return "n,note\n" + "".join(f'{number},"row, {number}{" " * padding}"\n' for number in range(count))


def written(tested: Tested, name: str, details: dict[str, Any], kind: str) -> list[Any]:
    where = details["ResultWriterDetails"]
    manifest = tested.ask(f"{name}/objects", {"get": f"{where['Bucket']}/{where['Key']}"})
    return [
        record
        for file in manifest["ResultFiles"][kind]
        for record in tested.ask(f"{name}/objects", {"get": f"{where['Bucket']}/{file['Key']}"})
    ]


def test_thousands_of_rows_become_results_in_files(tested: Tested):
    batched = over_csv(ItemBatcher={"MaxItemsPerBatch": 500}, ResultWriter=WRITER)
    each = {"Type": "Pass", "End": True}
    batched["States"]["All"]["ItemProcessor"] |= {"StartAt": "Each", "States": {"Each": each}}
    deployed = tested.deploy_files(application("rows", main=batched))
    assert deployed.status_code == 201, deployed.text
    tested.ask("rows/objects", {"put": "in/many.csv", "text": rows(12_000)})
    began = time.monotonic()
    details = tested.ask("rows/main", {"key": "many.csv"})
    print(f"12,000 rows in batches of 500: {time.monotonic() - began:.2f} s")
    results = written(tested, "rows", details, "SUCCEEDED")
    inputs = [json.loads(record["Input"])["Items"] for record in results]
    assert sorted((item["n"] for batch in inputs for item in batch), key=int) == [str(n) for n in range(12_000)]
    assert {len(batch) for batch in inputs} == {500}


def test_a_map_goes_on_with_the_same_items_when_its_host_dies():
    """Killed while it runs, and the object replaced before it goes on: no item of the other content, and none left out."""
    with tempfile.TemporaryDirectory(prefix="sand-", dir="/tmp") as folder:
        Path(folder).chmod(0o711)  # plain-process sandboxes run as other users
        local = LocalPlatform(*sandbox_option(), home=Path(folder)).start()
        try:
            tested = Tested(local)
            slow = over_csv(MaxConcurrency=8, ResultWriter=WRITER)
            slow["States"]["All"]["ItemSelector"] = {
                "n.$": "$$.Map.Item.Value.n",
                "seconds": 0.05,
                "counts": "runs",
            }
            assert tested.deploy_files(application("goes-on", main=slow)).status_code == 201
            tested.ask("goes-on/objects", {"put": "in/some.csv", "text": rows(400)})
            began = tested.invoke("goes-on/main", {"key": "some.csv"}, Prefer="respond-async")
            execution = began.headers["Sand-Execution-Id"]
            until(lambda: tested.ask("goes-on/objects", {"count": "runs"}) > 40, "some of it is done")
            tested.ask("goes-on/objects", {"put": "in/some.csv", "text": rows(400).replace("\n", "\n9")})
            local.kill()
            local.start()
            tested = Tested(local)
            record = tested.ended("goes-on", execution)
            assert record["status"] == "SUCCEEDED", json.dumps(record)
            details = tested.http.get(f"/api/v1/applications/goes-on/invocations/{execution}/output").json()
            results = [json.loads(one["Output"])["n"] for one in written(tested, "goes-on", details, "SUCCEEDED")]
            assert sorted(results, key=int) == [str(number) for number in range(400)]
        finally:
            local.stop()


def test_an_object_that_is_replaced_while_it_is_read_fails_the_map(tested: Tested):
    reads = over_csv(MaxConcurrency=1)
    reads["States"]["All"]["ItemSelector"] = {"n.$": "$$.Map.Item.Value.n", "seconds": 0.002, "counts": "replaced"}
    assert tested.deploy_files(application("replaced", main=reads)).status_code == 201
    tested.ask("replaced/objects", {"put": "in/some.csv", "text": rows(2_000, padding=500)})
    began = tested.invoke("replaced/main", {"key": "some.csv"}, Prefer="respond-async")
    execution = began.headers["Sand-Execution-Id"]
    until(lambda: tested.ask("replaced/objects", {"count": "replaced"}) > 3, "it has begun")
    tested.ask("replaced/objects", {"put": "in/some.csv", "text": rows(10)})
    record = tested.ended("replaced", execution)
    assert (record["status"], record["failure"]["error"]) == ("FAILED", "States.ItemReaderFailed"), str(record)
