"""Whatever is asked of the API, in whatever shape: the answer is one that the OpenAPI document has, and nothing breaks.

Requests are made from the document by schemathesis, good ones and bad ones, always the same for a seed. To look further than
the suite does: SAND_FUZZ_SEED=7 SAND_FUZZ_EXAMPLES=500, and `-k` with an operation's path.
"""

import os
import re
import secrets
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
import yaml
from conftest import APPLICATIONS, CHECKOUT, Tested, sandbox_option, until
from sand.command.bundle import zip_folder
from sand.command.local import LocalPlatform
from schemathesis import checks
from schemathesis.config import SchemathesisConfig

pytestmark = pytest.mark.slow

DOCUMENT = CHECKOUT / "frontend/src/main/resources/openapi.yaml"
SEED = int(os.environ.get("SAND_FUZZ_SEED", "20261123"))
EXAMPLES = int(os.environ.get("SAND_FUZZ_EXAMPLES", "25" if os.environ.get("SAND_TEST_LONG") == "1" else "8"))
ANSWER_SECONDS = 60
schemathesis.serializer.alias("application/zip", "application/octet-stream")
# `…/processes/invoke` is the call and also the process `invoke`: Allow has what either answers. So with dead letters.
SHADOWED = {"invokeInProcess", "replayDeadLetters"}

CONFIG = SchemathesisConfig.from_dict(
    {
        "seed": SEED,
        "generation": {"max-examples": EXAMPLES, "no-shrink": True, "database": "none"},
        "checks": {
            "positive_data_acceptance": {"enabled": False},
            "negative_data_rejection": {"expected-statuses": ["4xx", "5xx"]},
        },
    }
)


def strict() -> dict[str, Any]:
    """The document without its `default` answers, which any status would fit: those are the refusals at the door."""
    document = yaml.safe_load(DOCUMENT.read_text())
    for path in document["paths"].values():
        for operation in path.values():
            if isinstance(operation, dict) and operation.get("operationId") != "web":
                operation.get("responses", {}).pop("default", None)
    return document


# The GUI's own files and `/web/` (any method, whatever the grain answers) are not described by the document.
schema = schemathesis.openapi.from_dict(strict(), config=CONFIG).exclude(operation_id="web")


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tested]:
    """One of its own: what is sent here fills queues, and makes processes and an account, which would close an open one."""
    file = tmp_path_factory.mktemp("key") / "operator.key"
    file.write_text(secrets.token_urlsafe(32))
    with LocalPlatform(*sandbox_option(), "--operator-key", str(file)) as local:
        tested = Tested(local)
        tested.http.headers["Authorization"] = f"Bearer {file.read_text()}"
        until(lambda: tested.http.get("/api/v1/management").json()["version"], "management does operations", 180)
        assert tested.deploy_zip(zip_folder(APPLICATIONS / "fuzzed")).status_code == 201
        yield tested
        assert tested.http.get("/readyz").status_code == 200
        assert tested.ask("fuzzed/echo", "still here") == "still here"


@pytest.fixture(scope="module")
def there(fuzzed: Tested) -> dict[str, list[str]]:
    """For each parameter of paths, what is there to be named."""
    ids = [
        fuzzed.invoke(f"fuzzed/{target}", {"n": 1}).headers["Sand-Execution-Id"]
        for target in ("echo", "fail", "steps", "broken")
    ]
    for execution in ids:
        fuzzed.ended("fuzzed", execution)
    for process in ("p1", "doomed"):
        made = fuzzed.http.post("/api/v1/applications/fuzzed/processes", json={"id": process})
        assert made.status_code == 201, made.text
    jobs = "/api/v1/applications/fuzzed/queues/jobs"
    assert fuzzed.http.post(jobs, json={"n": 1}).status_code == 202
    secret = "/api/v1/applications/fuzzed/secrets/TOKEN"
    assert fuzzed.http.put(secret, content="a secret of some length").status_code == 204
    for of in ("grains/echo", "workflows/steps"):
        event = f"/api/v1/applications/fuzzed/{of}/events/late"
        assert fuzzed.http.put(event, json={"n": 1}).status_code == 200
    letters = until(lambda: fuzzed.http.get(f"{jobs}/dead-letters").json()["deadLetters"], "a message is given up on")
    return {
        "app": ["fuzzed"],
        "workflow": ["steps", "broken"],
        "target": ["echo", "fail", "steps", "echo@live"],
        "version": ["1", "live"],
        "alias": ["live", "other"],
        "id": ids,
        "process": ["p1"],
        "queue": ["jobs", "beat"],
        "trigger": ["beat", "uploads"],
        "message": [letters[0]["id"]],
        "secret": ["TOKEN"],
        "grain": ["echo"],
        "event": ["late"],
        "number": ["1"],
        "key": ["0123456789ab"],
        "user": ["ada"],
        "host": ["local"],
        "topic": ["journal.fuzzed", "slots"],
        "tenant": ["default"],
    }


def chosen(value: str, choices: list[str]) -> str:
    return choices[zlib.crc32(value.encode(errors="replace")) % len(choices)]


# What takes something away is asked for another one than everything else, or for none.
DOOMED = {"deleteApplication": ("app", "nobody"), "killProcess": ("process", "doomed"), "dropDeadLetters": ("queue", "beat")}
# Nor is what all others depend on.
DOOMED |= {"setQuotas": ("tenant", "nobody")}


def fill_in(case: schemathesis.Case, there: dict[str, list[str]]) -> None:
    """Well-formed names that were made up are nearly always unknown: those of things that are there take their place."""
    named: dict[str, Any] = case.path_parameters or {}
    for parameter in case.operation.path_parameters:
        value = named.get(parameter.name)
        pattern = parameter.definition.get("schema", {}).get("pattern", "")
        # Half of what may be any text stays as it was made up.
        fits = re.search(pattern, value) if pattern and isinstance(value, str) else isinstance(value, str) and len(value) % 2
        if fits:
            name, doomed = DOOMED.get(operation_id(case), ("", ""))
            named[parameter.name] = doomed if name == parameter.name else chosen(value, there[parameter.name])
    function = case.query.get("function") if isinstance(case.query, dict) else None
    if isinstance(function, str) and re.search("^[A-Za-z]", function):
        case.query["function"] = "echo"


def operation_id(case: schemathesis.Case) -> str:
    return case.operation.definition.raw["operationId"]


def bounded(case: schemathesis.Case) -> None:
    """Nothing that waits for ever, is fetched from outside, or starts by the hundred."""
    # Who follows waits for lines that do not come.
    if isinstance(case.query, dict) and case.query.get("follow") in (True, "true", ""):
        del case.query["follow"]
    # Of a process's own sandbox: images would be looked for, packages installed.
    dedicated = case.body.get("dedicated") if isinstance(case.body, dict) else None
    if isinstance(dedicated, dict):
        if isinstance(dedicated.get("image"), str):
            del dedicated["image"]
        packages = dedicated.get("packages")
        if isinstance(packages, list) and len(packages) <= 100 and all(isinstance(name, str) for name in packages):
            del dedicated["packages"]


def no_fault_of_the_platform(context: Any, response: schemathesis.Response, case: schemathesis.Case) -> None:
    """A 5xx is a grain's own failure (which the document has), never the platform's."""
    if response.status_code >= 500:
        assert response.json().get("source") == "grain", response.text


@schema.parametrize()
def test_every_answer_is_in_the_document(fuzzed: Tested, there: dict[str, list[str]], case: schemathesis.Case):
    fill_in(case, there)
    bounded(case)
    key = {"Authorization": fuzzed.http.headers["Authorization"]}
    response = case.call(base_url=fuzzed.server, timeout=ANSWER_SECONDS, headers=key)
    without = [checks.not_a_server_error]
    if operation_id(case) in SHADOWED:
        without.append(checks.allow_header_conformance)
    case.validate_response(response, additional_checks=[no_fault_of_the_platform], excluded_checks=without)
