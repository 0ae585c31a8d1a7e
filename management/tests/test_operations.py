"""What holds for all grains: their operations are the document's, with its scopes, and who may less gets less."""

import runpy
import sys
from pathlib import Path

import pytest
import yaml
from asking import CAPABILITIES, EXECUTION

FOLDER = Path(__file__).parent.parent
DOCUMENT = FOLDER.parent / "frontend/src/main/resources/openapi.yaml"
GRAINS = sorted(path.parent.name for path in FOLDER.glob("grains/*/handler.py"))


def operations(grain):
    sys.path.insert(0, str(FOLDER))
    try:
        handler = runpy.run_path(str(FOLDER / "grains" / grain / "handler.py"))["handle"]
    finally:
        sys.path.remove(str(FOLDER))
    return getattr(handler, "operations", {})


def documented():
    methods = ("get", "put", "post", "delete")
    paths = yaml.safe_load(DOCUMENT.read_text())["paths"]
    return {one["operationId"]: one for path in paths.values() for method, one in path.items() if method in methods}


DOCUMENTED = documented()
ALL = [(grain, operation, scope) for grain in GRAINS for operation, (scope, _) in operations(grain).items()]


def test_there_are_at_least_nineteen_grains():
    assert len(GRAINS) >= 19


@pytest.mark.parametrize(("grain", "operation", "scope"), ALL)
def test_an_operation_has_the_scope_that_the_document_says(grain, operation, scope):
    assert DOCUMENTED[operation]["x-sand"]["scope"] == (scope or "none")
    assert DOCUMENTED[operation]["x-sand"]["grain"] == grain, "nobody could call it"


# A value of each field that bodies have, by its name.
VALUES = {"version": 1, "redriveCount": 1, "from": "A", "alias": "live", "error": "Mine", "cause": "so", "host": "h"}
VALUES |= {"id": "p", "concurrency": 2, "memory": 1 << 20, "dedicated": True}
PARAMETERS = {"app": "shop", "alias": "live", "id": EXECUTION, "process": "p"}


def bodies():
    """(grain, operation, the schema of its body) of all that have one."""
    for name, one in DOCUMENTED.items():
        if one["x-sand"].get("plane") == "grain" and "requestBody" in one and not one["x-sand"].get("alone"):
            yield one["x-sand"]["grain"], name, one["requestBody"]["content"]["application/json"]["schema"]


@pytest.mark.parametrize(("grain", "operation", "schema"), list(bodies()))
def test_a_body_has_the_fields_that_the_document_says(caller, platform, grain, operation, schema):
    platform.answers[operation] = 404, {"type": "https://sand.dev/problems/unknown"}
    body = {field: VALUES[field] for field in schema["properties"]}
    assert caller(grain, operation, PARAMETERS, body=body).status == 404
    assert platform.last[1]["body"] == body
    if schema.get("additionalProperties") is False:
        caller(grain, operation, PARAMETERS, body=body | {"other": 1}).refuses("/body/other")


def test_an_operation_is_one_grains():
    names = [operation for _, operation, _ in ALL]
    assert sorted(names) == sorted(set(names))


def test_what_the_document_sends_to_a_grain_that_grain_does():
    known = {(grain, operation) for grain, operation, _ in ALL}
    for operation, one in DOCUMENTED.items():
        if one["x-sand"].get("plane") == "grain":
            assert (one["x-sand"]["grain"], operation) in known


@pytest.mark.parametrize(("grain", "operation", "scope"), [each for each in ALL if each[2] is not None])
def test_every_other_scope_is_not_enough(caller, platform, grain, operation, scope):
    others = [each for each in caller.who["scopes"] if each != scope]
    forged = caller.of(scopes=others)(grain, operation, {"app": "shop"})
    assert (forged.status, forged.kind, forged.body["scope"]) == (403, "denied", scope)
    assert not platform.calls


@pytest.mark.parametrize(
    "who", [None, {}, {"tenant": "default"}, {"tenant": "Ü", "scopes": ["read"]}, {"tenant": "a/b", "scopes": ["read"]}]
)
def test_who_says_nothing_may_nothing(sand_application, platform, who):
    event = {"operation": "listApplications", "who": who, "ticket": ""}
    assert sand_application.call("applications", event)["status"] == 403
    assert not platform.calls


@pytest.mark.parametrize("grain", [grain for grain in GRAINS if grain != "housekeeping"])
def test_a_grain_is_ready(sand_application, platform, grain):
    event = {"operation": "ready", "parameters": {}, "body": None, "who": {"kind": "system", "scopes": []}, "ticket": ""}
    assert sand_application.call(grain, event)["status"] == 200
    assert not platform.calls


def test_every_operation_of_a_grain_that_the_document_has_is_in_its_capability():
    for grain, operation, _ in ALL:
        alone = DOCUMENTED.get(operation, {}).get("x-sand", {}).get("alone", False)
        allowed = operation in CAPABILITIES.get(grain, ())
        assert allowed or alone
        assert not (allowed and alone), "the platform does nothing of it"


def test_what_a_grain_does_not_do_is_no_crash(caller):
    answer = caller("queues", "listApplications")
    assert (answer.status, answer.kind, answer.body["source"]) == (500, "unknown-operation", "platform")
