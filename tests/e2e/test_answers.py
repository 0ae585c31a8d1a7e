"""How answers look, on the platform and on the emulator alike: their headers, the records of what ran, and what is told of a
request with a mistake: its words, and where it is."""

from collections.abc import Iterator
from typing import Any

import pytest
from conftest import sandbox_option, until, zipped
from sand.command.local import LocalPlatform
from sand.emulator.emulator import Emulator
from scenario import Server

pytestmark = pytest.mark.slow
AT = "/api/v1/applications/answers"
INERT = "default-src 'none'; frame-ancestors 'none'; sandbox"
JSON = {"Content-Type": "application/json"}
KEYS = """
def tries(context):
    data = context.data
    yield lambda: data.get("")
    yield lambda: data.put("", 1)
    yield lambda: data.get("k" * 1025)
    yield lambda: data.list("k" * 1025)
    yield lambda: data.counter("")
    yield lambda: data.objects.put("", b"1")
    yield lambda: context.enqueue("later", "x" * 300_000)


def handle(event, context):
    said = []
    for each in tries(context):
        try:
            said.append(each())
        except Exception as e:
            said.append(str(e))
    return said
"""
ASKS = """
def tries(process):
    yield lambda: process.send("none", "key", 1)
    yield lambda: process.invoke("none", "same", 1).result()
    yield lambda: process.invoke(process.id, "none", 1).result()


def handle(event, context):
    said = []
    for each in tries(context.process):
        try:
            said.append(each())
        except Exception as e:
            said.append(str(e))
    return said
"""
SENDS = (
    '{"StartAt": "A", "States": {"A": {"Type": "Task", "Resource": "large", "Next": "B"}, '
    '"B": {"Type": "Task", "Resource": "sand:queue:later", "End": true}}}'
)
FILES = {
    "sand.yaml": "name: answers\nqueues: {later: {target: same}}\nroutes: [{path: /here, target: same}]\n"
    "grains: {same: {idle: {min: 2}}}\n",
    "grains/same/handler.py": "def handle(event, context):\n    return event\n",
    "grains/exits/handler.py": "import os\ndef handle(event, context):\n    os._exit(3)\n",
    "grains/fails/handler.py": "def handle(event, context):\n    raise ValueError('no')\n",
    "grains/keys/handler.py": KEYS,
    "grains/asks/handler.py": ASKS,
    "grains/large/handler.py": "def handle(event, context):\n    return 'x' * 300_000\n",
    "workflows/sends.asl.json": SENDS,
    "workflows/passes.asl.json": '{"StartAt": "A", "States": {"A": {"Type": "Pass", "End": true}}}',
    "workflows/main.asl.json": '{"StartAt": "A", "States": {"A": {"Type": "Task", "Resource": "fails", "End": true}}}',
}
NO_JSON = {
    b"\xef\xbb\xbf{}": (1, 1, "it begins with a byte order mark, which no JSON does"),
    b"  ": (1, 1, "there is no value"),
    b"{": (1, 2, "it ends in the middle of a value"),
    b'{"a":}': (1, 6, "Unexpected character ('}'): expected a value"),
    b"[1,]": (1, 4, "Unexpected character (']'): expected a value"),
    b"[?]": (1, 2, "Unexpected character ('?'): expected a JSON value"),
    b"nul": (1, 1, "Unrecognized token 'nul': expected a JSON value"),
    b'{"a":1}\n x': (2, 2, "Unrecognized token 'x': expected a JSON value"),
    b"1 2": (1, 3, "more than one JSON value"),
    b'[1]\r\n  {"a': (2, 3, "more than one JSON value"),
    b'\r"\xc3\xa9" "\\q"': (2, 6, "more than one JSON value"),
    b"[" * 501 + b"]" * 501: (1, 1, "it is nested 501 levels deep; the limit is 500"),
    b"[" + b"1" * 4301 + b"]": (1, 1, "a number in it has 4301 characters; the limit is 4300"),
    b"0." + b"1" * 4400: (1, 1, "a number in it has 4401 characters; the limit is 4300"),
    b"[1 2]": (1, 4, "Unexpected character ('2'): expected comma to separate Array entries"),
    b"[NaN]": (1, 5, "Non-standard token 'NaN'"),
    b'["\xff"]': (1, 4, "it is not in UTF-8"),
    b"{a:1}": (1, 2, "Unexpected character ('a'): expected double-quote to start field name"),
}
# Method and path, query, body: where the mistake is, and what is told of it.
MISTAKES: list[tuple[str, dict[str, str], Any, str, str]] = [
    ("GET /invocations", {"limit": "0"}, None, "/query/limit", "Query parameter 'limit' is a number from 1 to 1000, not '0'."),
    ("GET /invocations", {"status": "NO"}, None, "/query/status", "'NO' is no status of an invocation."),
    ("GET /invocations", {"before": "x"}, None, "/query/before", "'x' is no execution's id"),
    ("GET /invocations", {"target": "a.b"}, None, "/query/target", "Query parameter 'target' is a name, "),
    ("GET {main}/history", {"after": "x"}, None, "/query/after", "Query parameter 'after' is a number from 0"),
    (
        "GET {main}/history",
        {"reverse": "maybe"},
        None,
        "/query/reverse",
        "Query parameter 'reverse' is true or false, not 'maybe'.",
    ),
    ("POST {main}/cancel", {}, {"error": 5}, "/body/error", '"error" is a string.'),
    ("POST {main}/cancel", {}, {"cause": "x" * 32_769}, "/body/cause", '"cause" has 32769 characters, the limit is 32768.'),
    ("POST {main}/cancel", {}, {"a/b": 5}, "/body/a~1b", '"a/b" says nothing here'),
    ("POST {main}/cancel", {}, [], "/body", 'The body is a JSON object with an "error" and a "cause", or there is none.'),
    (
        "POST {main}/redrive",
        {},
        {"version": 0},
        "/body/version",
        'The body is a JSON object with a "redriveCount" or a "version"',
    ),
    ("POST {main}/redrive", {}, {"from": 5}, "/body/from", 'The body is a JSON object with a "redriveCount" or a "version"'),
    ("GET /workflows/a.b", {}, None, "/parameters/workflow", "A workflow's name is "),
    ("GET /processes", {"status": "NO"}, None, "/query/status", "'NO' is no status of a process"),
    ("POST /processes", {}, {"id": 5}, "/body/id", "'id' is a text, not 5."),
    ("POST /processes", {}, {"id": "a b"}, "/body/id", "A process's id is [A-Za-z0-9._~-]{1,128}, neither '.' nor '..'"),
    ("POST /processes", {}, {"id": "."}, "/body/id", "A process's id is [A-Za-z0-9._~-]{1,128}, neither '.' nor '..'"),
    ("POST /processes/p/migrate", {}, {"to": "h2"}, "/body/to", "A migration has no 'to': it has host."),
    ("POST /processes/p/migrate", {}, {"host": 5}, "/body/host", "'host' is a host's id."),
    ("POST /processes", {}, {"memory": "x"}, "/body/memory", "'memory': 'x' is not a size like 512MiB, 64KiB or 1GiB."),
    (
        "POST /processes",
        {},
        {"dedicated": {"cpus": "x"}},
        "/body/dedicated/cpus",
        "'dedicated': cpus is 0, or a number from 0.01 to 1024.",
    ),
    ("PUT /aliases/x", {}, {"version": "x"}, "/body/version", '"version" is the number of a version, not "x".'),
    ("PUT /aliases/x", {}, {}, "/body/version", '"version" is the number of a version, not missing.'),
    ("POST /rollback", {}, {"alias": 5}, "/body/alias", '"alias" is the name of an alias, not 5.'),
    ("POST /rollback", {}, 5, "/body", "The body is a JSON object that says which version."),
]


@pytest.fixture(scope="module", params=["platform", "emulator"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A platform with its management on, as `sand up` starts it: that says where in a request a mistake is."""
    if request.param == "platform":
        with LocalPlatform(*sandbox_option(), "--management", "on") as local:
            found = deployed_at(local.server)
            until(lambda: found.http.get("/api/v1/management").json()["version"], "management does operations", 180)
            yield found
    else:
        with Emulator() as emulator:
            yield deployed_at(emulator.url)


def deployed_at(url: str) -> Server:
    found = Server(url)
    deployed = found.deploy(zipped(FILES))
    assert deployed.status_code == 201, deployed.text
    return found


@pytest.fixture(scope="module")
def main(server: Server) -> str:
    """An execution of the workflow, which has failed."""
    return server.http.post("/invoke/answers/main", json=1).headers["sand-execution-id"]


def test_a_browser_takes_what_grains_wrote_for_what_it_is(server: Server, main: str):
    answers = {
        path: server.http.get(path) for path in ("/livez", AT, f"{AT}/none", "/openapi.yaml", "/nowhere", "/web/answers/none")
    }
    answers["/invoke"] = server.http.post("/invoke/answers/same", json=1)
    answers["/web/answers/here"] = server.http.post("/web/answers/here", json=1)
    for path, answer in answers.items():
        assert answer.headers["x-content-type-options"] == "nosniff", path
        assert answer.headers.get("content-security-policy") == (None if path.startswith("/web/") else INERT), path
        assert answer.headers["date"].endswith(" GMT"), path
    with server.http.stream("GET", f"{AT}/invocations/{main}/events", headers={"Accept": "text/event-stream"}) as stream:
        assert (stream.headers["x-accel-buffering"], stream.headers["cache-control"]) == ("no", "no-store")


def test_a_record_has_what_there_is(server: Server):
    for grain, has_trace in (("same", None), ("exits", False), ("fails", True)):
        id = server.http.post(f"/invoke/answers/{grain}", json=1).headers["sand-execution-id"]
        record = until(lambda id=id: server.http.get(f"{AT}/invocations/{id}").json(), "the record is there")
        assert ("error" in record["hops"][0]) == (has_trace is not None), record
        assert ("stackTrace" in record.get("failure", {})) == bool(has_trace), record


def test_a_version_says_how_many_instances_wait_and_its_content(server: Server):
    version = server.http.get(AT).json()
    assert (version["grains"]["same"]["minIdle"], version["grains"]["same"]["maxIdle"]) == (2, 16)
    assert version["grains"]["fails"]["minIdle"] == 1
    listed = server.http.get(f"{AT}/versions").json()["versions"][0]["bundle"]
    assert listed == version["bundle"] and len(listed) == 64 and int(listed, 16)


@pytest.mark.parametrize("body", NO_JSON, ids=lambda body: repr(body[:24]))
def test_a_body_that_is_no_json_is_told_with_its_place(server: Server, main: str, body: bytes):
    line, column, why = NO_JSON[body]
    expected = (400, f"At line {line}, column {column}: {why}", line, column)
    asked = [("POST", "/invoke/answers/same")]
    if body == b"{":
        asked += [("POST", f"{AT}/invocations/{main}/{step}") for step in ("cancel", "redrive")]
        asked += [("POST", f"{AT}/processes"), ("PUT", f"{AT}/aliases/x"), ("POST", f"{AT}/rollback")]
        asked += [("POST", f"/api/v1/task-tokens/{report}") for report in ("success", "failure", "heartbeat")]
    for method, path in asked:
        answer = server.http.request(method, path, content=body, headers=JSON)
        told = answer.json()
        assert (answer.status_code, told["detail"], told["line"], told["column"]) == expected, (path, told)
        assert told["type"].endswith("/malformed-json")


CONTROL = {
    b" \n": "there is no value",
    b"[1] 2": "more than one JSON value",
    b"[" * 250 + b"]" * 250: "it is nested 250 levels deep; the limit is 200",
    b"[" * 600 + b"]" * 600: "it is nested 600 levels deep; the limit is 200",
    b"1" * 1001: "a number in it has 1001 characters; the limit is 1000",
}


@pytest.mark.parametrize("body", CONTROL, ids=lambda body: repr(body[:24]))
def test_the_control_plane_reads_no_more_than_workflows_do(server: Server, main: str, body: bytes):
    for path in (f"{AT}/invocations/{main}/cancel", f"{AT}/rollback", f"{AT}/processes", "/api/v1/asl/test-state"):
        told = server.http.post(path, content=body, headers=JSON).json()
        assert (told["status"], told["type"].rpartition("/")[2]) == (400, "malformed-json"), (path, told)
        assert told["detail"].endswith(f": {CONTROL[body]}"), (path, told)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"[1, 2]", "it does not begin as one"),
        (b"\x93NUMPY\x07\x00" + bytes(64), "it is of version 7.0"),
        (b"\x93NUMPY\x01\x00\xff\x00{}  ", "its header has 255 bytes, and ends behind the body"),
        (b"\x93NUMPY\x01\x00\x04\x00{  }", "its header does not say what is in it"),
    ],
)
def test_what_is_said_to_be_an_array_and_is_none_comes_through_no_door(server: Server, body: bytes, why: str):
    sent: dict[str, Any] = {"content": body, "headers": {"Content-Type": "application/x-npy"}}
    doors = [("POST", "/invoke/answers/same"), ("POST", f"{AT}/queues/later"), ("PUT", f"{AT}/data/value?key=array")]
    for method, path in doors:
        refused = server.http.request(method, path, **sent)
        told = refused.status_code, refused.json()["type"].rpartition("/")[2], refused.json()["detail"]
        assert told == (400, "bad-request", f"The body is no .npy array: {why}."), path


def test_a_number_that_nobody_reckons_with_is_no_json_at_any_door(server: Server, main: str):
    huge = b'{"definition": {}, "state": "A", "a": 1e99999999999}'
    asked = [("POST", f"{AT}/invocations/{main}/{step}") for step in ("cancel", "redrive")]
    asked += [("POST", f"{AT}/processes"), ("PUT", f"{AT}/aliases/x"), ("POST", f"{AT}/rollback")]
    asked += [("POST", f"/api/v1/task-tokens/{report}") for report in ("success", "failure", "heartbeat")]
    asked += [("POST", "/api/v1/asl/test-state")]
    for method, path in asked:
        told = server.http.request(method, path, content=huge, headers=JSON).json()
        why = "At line 1, column 1: the exponent of a number in it has more than 9 digits"
        assert (told["status"], told["detail"], told["type"].rpartition("/")[2]) == (400, why, "malformed-json"), (path, told)


@pytest.mark.parametrize(("asked", "query", "body", "pointer", "detail"), MISTAKES, ids=lambda said: str(said)[:40])
def test_a_mistake_is_told_with_its_place(
    server: Server, main: str, asked: str, query: dict[str, str], body: Any, pointer: str, detail: str
):
    method, _, path = asked.partition(" ")
    path = AT + path.replace("{main}", f"/invocations/{main}")
    answer = server.http.request(method, path, params=query, **({} if body is None else {"json": body}))
    told = answer.json()
    assert (answer.status_code, told.get("pointer")) == (400, pointer), told
    assert told["detail"].startswith(detail), told


def test_a_time_is_said_or_left_out(server: Server):
    for headers, query in (({"Sand-Timeout": ""}, ""), ({}, "?timeout=")):
        answer = server.http.post(f"/invoke/answers/same{query}", json=1, headers=headers)
        assert answer.status_code == 400, answer.text
        assert answer.json()["detail"] == "Sand-Timeout: '' is not a duration like 500ms, 30s or 10m."


def test_a_version_that_is_not_there_redrives_nothing(server: Server, main: str):
    answer = server.http.post(f"{AT}/invocations/{main}/redrive", json={"version": 99})
    assert (answer.status_code, answer.json()["detail"]) == (
        409,
        f"Execution {main} cannot be redriven: version 99 does not have the same definition of 'main'.",
    )


def test_what_is_not_there_is_told_with_the_applications_name(server: Server):
    told = server.http.get(f"{AT}/processes/none").json()
    assert (told["status"], told["detail"]) == (404, "Application answers has no process none.")
    said = server.http.post(f"{AT}/processes/invoke", params={"function": "asks"}, json=1).json()
    absent = "application answers has no process none"
    assert said == [absent, absent, "application answers has no grain none"]


def test_a_message_that_is_too_large_is_told_with_its_queue(server: Server):
    told = server.http.post("/invoke/answers/sends", json=1).json()
    what = "a message of 300002 bytes for queue later is over the limit of 262144"
    assert told["error"] == "SQS.AmazonSQSException"
    assert told["detail"] == f"{what}; put the value into shared data and send its key"


def test_a_key_has_bytes_and_not_too_many(server: Server):
    empty, long = "a key must not be empty", "a key of 1025 bytes is over the limit of 1024"
    large = "a message of 300002 bytes is over the limit of 262144; put the value into shared data and send its key"
    assert server.http.post("/invoke/answers/keys", json=1).json() == [empty, empty, long, long, empty, empty, large]


def test_what_ends_at_once_is_accepted_first_all_the_same(server: Server):
    for _ in range(5):
        answer = server.http.post("/invoke/answers/passes", json={"n": 1}, headers={"Prefer": "respond-async"})
        assert (answer.status_code, answer.headers["preference-applied"]) == (202, "respond-async"), answer.text
        id = answer.json()["executionId"]
        record = until(lambda id=id: ended(server, id), "it has ended")
        assert record["status"] == "SUCCEEDED"


def ended(server: Server, id: str) -> dict[str, Any] | None:
    found = server.http.get(f"{AT}/invocations/{id}").json()
    return found if found.get("status") not in (None, "RUNNING") and "endedMs" in found else None
