"""What tenants may have at most: each limit is reached, says so, and is lifted again."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from conftest import APPLICATIONS, Tested, is_problem, sandbox_option, until, zipped
from sand.command.local import LocalPlatform

# A platform of its own with the management in it: more than the inner loop has time for.
pytestmark = pytest.mark.slow

PATH = "/api/v1/tenants/default/quotas"
NONE = dict.fromkeys(["applications", "requestsPerSecond", "instances", "memoryBytes", "storedBytes"])
STREAMED = {"Content-Type": "application/zip", "Accept": "text/event-stream"}
OTHER = {
    "sand.yaml": "name: other\nsandbox: {memory: 1GiB}\n",
    "grains/main/handler.py": "def handle(event, context):\n    return 1\n",
}


@pytest.fixture(scope="module")
def platform() -> Iterator[Tested]:
    with LocalPlatform(*sandbox_option(), "--management", "on") as local:
        tested = Tested(local)
        until(lambda: tested.http.get("/api/v1/management").json()["version"], "management does operations", 180)
        tested.deploy(APPLICATIONS / "probe")
        assert tested.deploy_files(OTHER).status_code == 201
        yield tested


@pytest.fixture
def managed(platform: Tested) -> Iterator[Tested]:
    yield platform
    platform.sand("quotas", "set", "--only")
    until(lambda: echoed(platform) is None, "there are no limits")
    assert limits(platform) == NONE


def limits(managed: Tested) -> dict[str, int | None]:
    found: dict[str, int | None] = managed.http.get(PATH).json()["limits"]
    return found


def echoed(managed: Tested) -> httpx.Response | None:
    """A refusal among a few answers, or None."""
    answers = [managed.http.post("/invoke/probe/echo", json=i) for i in range(8)]
    return next((one for one in answers if one.status_code == 429), None)


def is_over(response: httpx.Response, quota: str, limit: int) -> None:
    said = is_problem(response, 429, response.json()["source"])
    assert (said["type"].rsplit("/", 1)[1], said["quota"], said["limit"]) == ("quota-exceeded", quota, limit)
    assert said["actual"] > limit
    assert int(response.headers["Retry-After"]) >= 1


def test_applications_and_requests(managed: Tested) -> None:
    managed.sand("quotas", "set", "--requests-per-second", "2", "--applications", "2")
    assert limits(managed) == NONE | {"applications": 2, "requestsPerSecond": 2}
    until(lambda: echoed(managed), "requests are over their limit")
    over = echoed(managed)
    assert over is not None
    is_problem(over, 429)
    assert (over.json()["quota"], over.json()["limit"]) == ("requestsPerSecond", 2)
    assert int(over.headers["Retry-After"]) == 1
    more = managed.deploy_files({**OTHER, "sand.yaml": "name: onemore\n"})
    is_over(more, "applications", 2)
    assert (more.headers["Retry-After"], more.json()["retryAfterMs"], more.json()["retryable"]) == ("60", 60_000, True)
    # Where it is followed as it goes, no header can say so any more.
    zipped_one = zipped({**OTHER, "sand.yaml": "name: onemore\n"})
    streamed = managed.http.post("/api/v1/applications", content=zipped_one, headers=STREAMED)
    assert streamed.status_code == 200 and '"retryAfterMs":60000' in streamed.text, streamed.text
    # What is there already is deployed as before.
    managed.deploy(APPLICATIONS / "probe")


def test_limits_that_are_not_named_stay(managed: Tested) -> None:
    managed.sand("quotas", "set", "--applications", "20", "--stored", "10GiB")
    managed.sand("quotas", "set", "--instances", "50", "--applications", "none")
    assert limits(managed) == NONE | {"instances": 50, "storedBytes": 10 << 30}
    managed.sand("quotas", "set", code=2)  # nothing is named
    assert limits(managed)["instances"] == 50
    managed.sand("quotas", "set", "--only", "--applications", "20")
    assert limits(managed) == NONE | {"applications": 20}


@pytest.mark.parametrize("body", [{"gold": 1}, {"instances": -1}, {"memoryBytes": "1GiB"}, {"storedBytes": 2**60}, []])
def test_odd_limits_are_none(managed: Tested, body: object) -> None:
    is_problem(managed.http.put(PATH, json=body), 400)


def test_instances(managed: Tested) -> None:
    managed.sand("quotas", "set", "--instances", "2")

    def sleep(_: int) -> httpx.Response:
        return managed.http.post("/invoke/probe/sleep", json={"seconds": 1.5})

    def answers() -> list[httpx.Response]:
        with ThreadPoolExecutor(6) as threads:
            return list(threads.map(sleep, range(6)))

    until(lambda: any(one.status_code == 429 for one in answers()), "more than two are refused")
    found = answers()
    assert sorted({one.status_code for one in found}) == [200, 429]
    assert 1 <= sum(one.status_code == 200 for one in found) <= 2
    is_over(next(one for one in found if one.status_code == 429), "instances", 2)
    # What one request makes is not refused: it waits for its turn.
    managed.sand("quotas", "set", "--instances", "1")
    until(lambda: limits(managed)["instances"] == 1, "there is one")
    done = managed.http.post("/invoke/probe/fan", json={})
    assert done.status_code == 200, done.text


def test_memory(managed: Tested) -> None:
    assert managed.http.post("/invoke/probe/echo", json=1).status_code == 200
    managed.sand("quotas", "set", "--memory", "1GiB")
    assert managed.http.get(PATH).json()["use"]["memoryBytes"] >= 1 << 30

    def other() -> httpx.Response:
        return managed.http.post("/invoke/other/main", json=1)

    def refused_beside_one_that_runs() -> httpx.Response | None:
        with ThreadPoolExecutor(1) as threads:
            busy = threads.submit(managed.http.post, "/invoke/probe/sleep", json={"seconds": 2})
            until(lambda: managed.http.get("/api/v1/use").json()["hosts"][0]["instances"] or busy.done(), "it runs")
            answer = other()
            if answer.status_code == 429 and answer.json()["quota"] == "memoryBytes" and busy.result().status_code == 200:
                return answer
        # The limit did not hold yet: a sandbox that runs by now stays.
        assert managed.http.delete("/api/v1/applications/other").status_code == 204
        assert managed.deploy_files(OTHER).status_code == 201
        return None

    is_over(until(refused_beside_one_that_runs, "there is no room beside it", 120), "memoryBytes", 1 << 30)
    until(lambda: other().status_code == 200, "what is idle makes room")
    assert managed.http.get(PATH).json()["use"]["memoryBytes"] == 1 << 30


def test_stored_bytes(managed: Tested) -> None:
    used = managed.http.get(PATH).json()["use"]["storedBytes"]
    limit = used + 100_000
    managed.sand("quotas", "set", "--stored", str(limit))

    def put(key: str, size: int) -> httpx.Response:
        value = {"content": b"x" * size, "headers": {"Content-Type": "text/plain"}}
        return managed.http.put("/api/v1/applications/probe/data/value", params={"key": key}, **value)

    def delete(key: str) -> int:
        return managed.http.delete("/api/v1/applications/probe/data/value", params={"key": key}).status_code

    # What was written before it holds is deleted again.
    until(lambda: put("quota-a", 150_000).status_code == 429 or not delete("quota-a"), "the limit holds")
    is_over(put("quota-a", 150_000), "storedBytes", limit)
    assert put("quota-b", 60_000).status_code == 200
    is_over(put("quota-c", 60_000), "storedBytes", limit)
    by_grain = managed.http.post("/invoke/probe/store", json={"do": "put", "key": "quota-d", "value": "x" * 60_000})
    # It has run, and ended so: another request finds room later, this one is over.
    assert not is_problem(by_grain, 429, "grain")["retryable"] and "Retry-After" not in by_grain.headers
    assert by_grain.json()["error"] == "Sand.Overloaded" and "may store" in by_grain.json()["detail"]
    assert delete("quota-b") == 204
    until(lambda: put("quota-c", 60_000).status_code == 200, "what is deleted makes room")
    delete("quota-c")
