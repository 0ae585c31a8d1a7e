"""What a developer's client looks at, on the platform and on the emulator alike: workflows, files, shared data; and a call
through the control plane."""

import json
from typing import Any

import pytest
from conftest import until, zipped
from scenario import Server

pytestmark = pytest.mark.slow
AT = "/api/v1/applications/looks"
MACHINE = '{"StartAt": "A", "States": {"A": {"Type": "Pass", "End": true}}}'
COUNT = "def handle(event, context):\n    return context.data.counter('seen').add(1)\n"
FILES = {
    "sand.yaml": "name: looks\nworkflows: {main: {timeout: 90s}}\n"
    "triggers: {kept: {data: {prefix: watched/, operations: [put, delete]}, target: count}}\n",
    "grains/count/handler.py": COUNT,
    "grains/get/handler.py": "def handle(event, context):\n    return context.data.get(event)\n",
    "grains/put/handler.py": "def handle(event, context):\n    context.data.put(event, {'by': 'a grain'})\n",
    "workflows/main.asl.json": MACHINE,
    "workflows/other.asl.json": MACHINE,
}
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def server(either: str) -> Server:
    found = Server(either)
    deployed = found.deploy(zipped(FILES))
    assert deployed.status_code == 201, deployed.text
    return found


def problem(answer: Any, status: int, name: str) -> dict[str, Any]:
    told = answer.json()
    assert (answer.status_code, told["type"].rpartition("/")[2]) == (status, name), told
    return told


def test_workflows_are_listed_and_shown(server: Server):
    listed = server.http.get(f"{AT}/workflows").json()
    number = server.http.get(AT).json()["version"]
    workflows = [{"name": "main", "timeoutMs": 90_000}, {"name": "other", "timeoutMs": 300_000}]
    assert listed == {"application": "looks", "version": number, "workflows": workflows}
    one = {"name": "main", "version": number, "definition": MACHINE, "timeoutMs": 90_000}
    assert server.http.get(f"{AT}/workflows/main").json() == one
    told = problem(server.http.get(f"{AT}/workflows/count"), 404, "unknown-workflow")
    assert told["detail"] == f"Version {number} of application 'looks' has no workflow 'count'."
    problem(server.http.get(f"{AT}/workflows/a.b"), 400, "bad-request")
    problem(server.http.get("/api/v1/applications/none/workflows"), 404, "unknown-application")


def test_files_of_a_version_are_listed_and_read(server: Server):
    number = server.http.get(AT).json()["version"]
    found = server.http.get(f"{AT}/versions/{number}/files").json()
    assert (found["application"], found["version"]) == ("looks", number)
    sizes = [{"path": path, "size": len(text), "executable": False} for path, text in sorted(FILES.items())]
    assert found["files"] == sizes
    assert server.http.get(f"{AT}/versions/live/files").json() == found
    read = server.http.get(f"{AT}/versions/{number}/file", params={"path": "grains/count/handler.py"})
    assert (read.text, read.headers["content-type"]) == (COUNT, "application/octet-stream")
    assert read.headers["content-disposition"] == "attachment"
    problem(server.http.get(f"{AT}/versions/{number}/file", params={"path": "none"}), 404, "unknown-file")
    problem(server.http.get(f"{AT}/versions/{number}/file"), 400, "bad-request")
    problem(server.http.get(f"{AT}/versions/99/files"), 404, "unknown-version")


def test_a_value_is_put_read_and_deleted_as_grains_see_it(server: Server):
    def value(method: str, key: str, content: bytes | None = None, most: int | None = None, **headers: str) -> Any:
        query = {"key": key} | ({} if most is None else {"most": most})
        named = {name.replace("_", "-"): said for name, said in headers.items()}
        return server.http.request(method, f"{AT}/data/value", params=query, content=content, headers=named)

    made = value("PUT", "a", b'{"n": 1.50}', If_None_Match="*", Content_Type="application/json")
    assert (made.status_code, made.headers["etag"]) == (200, f'"{made.json()["version"]}"'), made.text
    tag = made.headers["etag"]
    assert server.http.post("/invoke/looks/get", json="a").json() == {"n": 1.5}
    read = value("GET", "a")
    assert (read.content, read.headers["content-type"], read.headers["etag"]) == (b'{"n": 1.50}', "application/json", tag)
    over = value("GET", "a", most=5)
    told = problem(over, 413, "value-too-large")
    assert (told["limit"], told["actual"], told["contentType"]) == (5, 11, "application/json")
    assert over.headers["etag"] == tag
    assert problem(value("PUT", "a", b"1", If_None_Match="*"), 412, "version-conflict")["detail"] == (
        f"The value has version {json.loads(tag.strip(chr(34)))} by now."
    )
    told = problem(value("PUT", "none", b"1", If_Match='"7"'), 412, "version-conflict")
    assert (told["detail"], told["actual"]) == ("There is no value of this key.", 0)
    problem(value("PUT", "a", b"1", If_Match="7"), 400, "bad-request")
    assert problem(value("PUT", "a", b"{"), 400, "bad-request")["detail"].startswith("The value is no JSON")
    problem(value("PUT", "a", b"x" * ((4 << 20) + 1), Content_Type="text/plain"), 413, "body-too-large")
    assert value("PUT", "a", b"\xff", Content_Type="image/png", If_Match=tag).status_code == 200
    assert value("GET", "a").headers["content-type"] == "image/png"
    assert value("DELETE", "a", If_Match=tag).status_code == 412
    assert value("DELETE", "a").status_code == 204
    told = problem(value("GET", "a"), 404, "unknown-key")
    assert told["detail"] == "Application 'looks' has no data under 'a'."
    problem(value("DELETE", "a"), 404, "unknown-key")
    for key in ("", "k" * 1025):
        assert problem(value("GET", key), 400, "bad-request")["detail"] == "Query parameter 'key' has 1 to 1024 bytes in UTF-8."


def test_keys_are_listed_page_by_page(server: Server):
    for key in ("list/b", "list/a", "list/é"):
        assert server.http.post("/invoke/looks/put", json=key).status_code == 200

    def page(**query: Any) -> Any:
        return server.http.get(f"{AT}/data", params=query)

    assert page(prefix="list/").json() == {"keys": ["list/a", "list/b", "list/é"], "next": None}
    assert page(prefix="list/", limit=2).json() == {"keys": ["list/a", "list/b"], "next": "list/b"}
    assert page(prefix="list/", after="list/b").json() == {"keys": ["list/é"], "next": None}
    problem(page(limit=0), 400, "bad-request")
    assert problem(page(prefix="k" * 1025), 400, "bad-request")["detail"] == "a key of 1025 bytes is over the limit of 1024"


def test_triggers_hear_of_what_is_put_from_outside(server: Server):
    seen = lambda: server.http.post("/invoke/looks/get", json="seen").json() or 0  # noqa: E731
    before = seen()
    assert server.http.put(f"{AT}/data/value", params={"key": "watched/x"}, content=b"1", headers=JSON).status_code == 200
    until(lambda: seen() == before + 1, "the trigger has fired")


def test_a_call_may_go_through_the_control_plane(server: Server):
    for root in ("applications", "apps"):
        answer = server.http.post(f"/api/v1/{root}/looks/invoke/main", json={"q": 1})
        assert (answer.status_code, answer.json()) == (200, {"q": 1})
        assert answer.headers["sand-execution-id"]
    later = server.http.post(f"{AT}/invoke/count@live", json=2, headers={"Prefer": "respond-async"})
    assert later.status_code == 202
    server.ended(later.headers["location"])
    told = problem(server.http.post(f"{AT}/invoke/none", json=1), 404, "unknown-target")
    assert told["instance"].endswith("/none")
    assert server.http.get(f"{AT}/invoke/main").status_code == 405
