"""What an operator sees: metrics after traffic, spans with the right parents, a log that a program can read."""

import json
import re
from collections.abc import Iterator

import pytest
from conftest import APPLICATIONS, CHECKOUT, Tested, sandbox_option, until
from otlp import Receiver, Span
from sand.client import Process
from sand.command.local import LocalPlatform

pytestmark = pytest.mark.slow

CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
TRACE, PARENT = CALLER.split("-")[1:3]


def metrics(tested: Tested) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """The page, by name and labels."""
    response = tested.http.get("/metrics")
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain")
    found = {}
    for line in response.text.splitlines():
        if line and not line.startswith("#"):
            name, labels, value = re.fullmatch(r"([a-zA-Z_:]\w*)(?:\{(.*)\})? (\S+)", line).groups()
            pairs = frozenset(re.findall(r'(\w+)="([^"]*)"', labels or ""))
            found[name, pairs] = float(value)
    return found


def value(page: dict, name: str, **labels: str) -> float:
    return sum(number for (one, has), number in page.items() if one == name and labels.items() <= set(has))


def test_metrics_tell_what_happened(probe: Tested):
    before = metrics(probe)
    for _ in range(5):
        probe.ask("probe/chain", {"number": 1})
    probe.invoke("probe/sleep", [])
    after = metrics(probe)

    def more(name: str, **labels: str) -> float:
        return value(after, name, **labels) - value(before, name, **labels)

    double = {"application": "probe", "grain": "double"}
    assert more("sand_grain_attempts_total", **double) == 15
    assert more("sand_grain_attempt_failures_total", application="probe", grain="sleep") == 1
    for part in ("queue", "dispatch", "run", "bus"):
        assert more(f"sand_grain_{part}_seconds_count", **double) == 15
        assert more(f"sand_grain_{part}_seconds_bucket", **double, le="+Inf") == 15
        assert more(f"sand_grain_{part}_seconds_sum", **double) >= 0
    assert 0 < more("sand_grain_handover_seconds_count", **double) <= 15
    assert value(after, "sand_grain_fork_seconds_count", **double) >= 15
    assert more("sand_executions_ended_total", application="probe", status="succeeded") == 5
    assert more("sand_executions_ended_total", application="probe", status="failed") == 1
    assert more("sand_frontend_requests_total", plane="invoke", status="2xx") == 5
    assert more("sand_frontend_requests_total", plane="invoke", status="5xx") == 1
    assert more("sand_frontend_request_seconds_count") == 6
    assert value(after, "sand_sandboxes") >= 1
    assert value(after, "sand_slots", state="ours") > 0
    assert value(after, "jvm_memory_used_bytes") > 0
    # Those that served are gone, and the next ones may still be forked when the page is made.
    until(lambda: value(metrics(probe), "sand_grain_instances", **double, state="idle") >= 1, "an instance waits again")


def test_what_waits_and_runs_is_on_the_page(probe: Tested):
    running = probe.invoke("probe/sleep", {"seconds": 3}, Prefer="respond-async").headers["Sand-Execution-Id"]
    sleep = {"application": "probe", "grain": "sleep"}
    until(lambda: value(metrics(probe), "sand_grain_instances", **sleep, state="running") >= 1, "it is seen to run")
    assert value(metrics(probe), "sand_executions_open", application="probe") >= 1
    probe.http.post(f"/api/v1/applications/probe/invocations/{running}/cancel")
    until(
        lambda: value(metrics(probe), "sand_executions_ended_total", application="probe", status="cancelled") >= 1, "it ended"
    )


QUEUED = {
    "sand.yaml": """
name: queued
queues: {orders: {target: fails, retries: 1, backoff: 1ms}}
triggers: {beat: {every: 1s, target: works}}
""",
    "grains/works/handler.py": "def handle(event, context):\n    return event\n",
    "grains/fails/handler.py": "def handle(event, context):\n    raise ValueError(event)\n",
}


@pytest.fixture(scope="module")
def queued(tested: Tested) -> Iterator[Tested]:
    assert tested.deploy_files(QUEUED).status_code == 201
    yield tested
    tested.http.delete("/api/v1/applications/queued")


def test_queues_and_schedules_are_on_the_page(queued: Tested):
    assert queued.http.post("/api/v1/applications/queued/queues/orders", json=1).status_code == 202
    orders = {"application": "queued", "queue": "orders"}
    until(lambda: value(metrics(queued), "sand_queue_dead_letters_total", **orders) == 1, "its message is given up")
    page = metrics(queued)
    assert value(page, "sand_queue_deliveries_total", **orders) == 2
    assert value(page, "sand_queue_retries_total", **orders) == 1
    until(lambda: value(metrics(queued), "sand_queue_messages", **orders) == 0, "nothing waits")
    beat = {"application": "queued", "trigger": "beat"}
    until(lambda: value(metrics(queued), "sand_schedule_fires_total", **beat, outcome="fired") >= 1, "it fires")
    assert value(metrics(queued), "sand_schedule_fires_total", **beat, outcome="missed") == 0


def test_the_bus_and_the_store_are_on_the_page(probe: Tested):
    probe.ask("probe/echo", 1)
    page = metrics(probe)
    for name in ("sand_ready", "sand_bus_reachable", "sand_store_reachable", "sand_membership_hosts"):
        assert value(page, name) == 1
    assert value(page, "sand_membership_suspended") == 0
    assert value(page, "sand_bus_append_seconds_count") > 0
    for call in ("read", "write", "scan"):
        assert value(page, "sand_store_call_seconds_count", call=call) > 0
    assert value(page, "sand_bus_errors_total", reason="away") == 0
    assert value(page, "sand_store_errors_total", reason="away") == 0
    assert value(page, "sand_host_slots_total", event="acquired") == value(page, "sand_slots", state="ours")
    labels = {dict(has).get("application") for name, has in page if name == "sand_application_backup_records"}
    assert "probe" in labels


def test_the_page_on_observing_has_each_metric_and_no_other(probe: Tested, queued: Tested):
    probe.ask("probe/echo", 1)
    until(lambda: value(metrics(queued), "sand_queue_deliveries_total", application="queued") >= 1, "its queues are known")
    with Process(probe.server, "probe", "observed") as process:
        process.invoke("echo", 1)
    text = probe.http.get("/metrics").text
    shown = {(name, kind) for name, kind in re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M)}
    page = (CHECKOUT / "docs/OBSERVING.md").read_text()
    described = set(re.findall(r"^\| `(\w+)` \| (counter|gauge|histogram|summary) \|", page, re.M))
    # What the JVM has depends on it: of the collector's, some come with its first collection.
    ours = {one for one in shown if one[0].startswith("sand_")}
    assert {one for one in described if one[0].startswith("sand_")} == ours
    others = {one for one in described if not one[0].startswith("sand_")}
    assert {one for one in shown - ours if not one[0].startswith("jvm_gc_")} <= others
    named = set(re.findall(r"\b(sand_\w+?)(?:_bucket)?(?=[\[{ )])", page[page.index("groups:") : page.index("## Spans")]))
    assert named and named <= {name for name, _ in described}
    events = set(re.findall(r'sand_host_events_total\{event="(\w+)"', text))
    assert events == set(re.findall(r"^\| `(\w+)` \| [^|]*\|$", page, re.M))


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    running = Receiver()
    yield running
    running.close()


@pytest.fixture(scope="module")
def traced(receiver: Receiver) -> Iterator[Tested]:
    environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.address, "OTEL_BSP_SCHEDULE_DELAY": "100"}
    with LocalPlatform(*sandbox_option(), "--log", "json", environment=environment) as local:
        tested = Tested(local)
        tested.deploy(APPLICATIONS / "observed")
        yield tested


def spans(receiver: Receiver, trace: str, execution: str, count: int) -> list[Span]:
    """The execution's, once there are so many."""

    def look() -> list[Span] | None:
        found = [one for one in receiver.of(trace) if execution in json.dumps(one.attributes) or one.name in PARTS]
        found = [one for one in found if belongs(one, found, execution)]
        return found if len(found) >= count else None

    return until(look, f"{count} spans of {execution}")


PARTS = ("queue", "dispatch", "run")


def belongs(one: Span, found: list[Span], execution: str) -> bool:
    if one.name not in PARTS:
        return True
    return any(other.span_id == one.parent_id and other.attributes.get("sand.execution_id") == execution for other in found)


def test_spans_of_a_workflow_are_below_the_callers(traced: Tested, receiver: Receiver):
    response = traced.invoke("observed/chain", None, traceparent=CALLER)
    execution = response.headers["Sand-Execution-Id"]
    first_told, second_told = response.json()
    found = spans(receiver, TRACE, execution, 9)
    (request,) = [one for one in found if one.name == "POST /invoke/observed/chain"]
    assert request.parent_id == PARENT
    assert request.kind == 2 and request.attributes["http.response.status_code"] == 200
    for grain, told in (("first", first_told), ("second", second_told)):
        (attempt,) = [one for one in found if one.name == grain]
        assert attempt.parent_id == request.span_id
        assert attempt.attributes["sand.application"] == "observed" and attempt.attributes["sand.attempt"] == 1
        parts = {one.name: one for one in found if one.parent_id == attempt.span_id}
        assert set(parts) == set(PARTS)
        # What the handler was given is the span of its own run.
        assert told == f"00-{TRACE}-{parts['run'].span_id}-01"
        assert attempt.started_ns == parts["queue"].started_ns <= parts["queue"].ended_ns == parts["dispatch"].started_ns
        assert parts["dispatch"].ended_ns == parts["run"].started_ns <= parts["run"].ended_ns <= attempt.ended_ns
        assert request.started_ns <= attempt.started_ns and attempt.ended_ns <= request.ended_ns
    second = next(one for one in found if one.name == "second")
    (run,) = [one for one in found if one.name == "run" and one.parent_id == second.span_id]
    assert run.ended_ns - run.started_ns >= 20_000_000
    assert "sand" in receiver.services


def test_what_a_grain_publishes_is_below_its_run(traced: Tested, receiver: Receiver):
    execution = traced.invoke("observed/spread", None, traceparent=CALLER).headers["Sand-Execution-Id"]
    found = spans(receiver, TRACE, execution, 13)
    (spread,) = [one for one in found if one.name == "spread"]
    (run,) = [one for one in found if one.name == "run" and one.parent_id == spread.span_id]
    assert [one.parent_id for one in found if one.name == "first"] == [run.span_id] * 2


def test_a_request_without_a_trace_gets_one_that_its_id_names(traced: Tested, receiver: Receiver):
    response = traced.invoke("observed/first")
    execution = response.headers["Sand-Execution-Id"]
    trace = response.json()["traceparent"].split("-")[1]
    found = spans(receiver, trace, execution, 5)
    (request,) = [one for one in found if one.name == "POST /invoke/observed/first"]
    assert request.parent_id == ""
    digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    number = 0
    for character in execution:
        number = number << 5 | digits.index(character)
    assert trace == format(number, "032x")


def test_a_failure_is_a_failed_span(traced: Tested, receiver: Receiver):
    execution = traced.invoke("observed/fails", None, traceparent=CALLER).headers["Sand-Execution-Id"]
    found = spans(receiver, TRACE, execution, 5)
    failed = {one.name for one in found if one.failed}
    assert failed == {"fails", "run", "POST /invoke/observed/fails"}
    assert next(one for one in found if one.name == "fails").attributes["error.type"] == "KeyError"


def test_a_caller_who_does_not_sample_gets_no_spans(traced: Tested, receiver: Receiver):
    trace = "1" * 32
    response = traced.invoke("observed/first", None, traceparent=f"00-{trace}-{PARENT}-00")
    assert response.json()["traceparent"].startswith(f"00-{trace}-") and response.json()["traceparent"].endswith("-00")
    marker = traced.invoke("observed/first").json()["traceparent"].split("-")[1]
    until(lambda: receiver.of(marker), "later spans are there")
    assert receiver.of(trace) == []


def test_a_handlers_own_spans_are_below_its_run(traced: Tested, receiver: Receiver):
    response = traced.invoke("observed/own", None, traceparent=CALLER)
    trace, parent = response.json()
    found = spans(receiver, TRACE, response.headers["Sand-Execution-Id"], 5)
    assert trace == TRACE
    assert [one.name for one in found if one.span_id == parent] == ["run"]


def test_the_log_is_one_object_a_line(traced: Tested):
    lines = traced.local.log.read_text().splitlines()
    assert [line for line in lines if line.startswith("ready ")] == [f"ready {traced.server}"]
    told = [json.loads(line) for line in lines if not line.startswith("ready ")]
    assert len(told) > 5 and all({"time", "level", "logger", "thread", "message"} <= one.keys() for one in told)
    assert {one["host"] for one in told} == {"local"}
    assert "observed" in {one["application"] for one in told if one["message"].startswith("built observed")}


def test_without_an_endpoint_a_callers_trace_goes_on_as_it_is(probe: Tested):
    files = {
        "sand.yaml": "name: untraced\n",
        "grains/g/handler.py": "def handle(event, context):\n    return context.traceparent\n",
    }
    assert probe.deploy_files(files).status_code == 201
    assert probe.invoke("untraced/g", None, traceparent=CALLER).json() == CALLER
    assert probe.ask("untraced/g") is None


def test_a_request_that_is_replayed_has_a_span_of_its_own(traced: Tested, receiver: Receiver):
    answers = [traced.invoke("observed/first", 7, traceparent=CALLER, Idempotency_Key="once") for _ in range(2)]
    execution = answers[0].headers["Sand-Execution-Id"]
    assert answers[1].headers["Sand-Execution-Id"] == execution

    def requests() -> list[Span]:
        named = [one for one in receiver.of(TRACE) if one.name == "POST /invoke/observed/first"]
        return [one for one in named if one.attributes["sand.execution_id"] == execution]

    until(lambda: len(requests()) == 2, "both requests have their spans")
    assert len({one.span_id for one in requests()}) == 2
    (attempt,) = [one for one in receiver.of(TRACE) if one.name == "first" and one.attributes["sand.execution_id"] == execution]
    assert attempt.parent_id in {one.span_id for one in requests()}


def test_a_malformed_trace_is_as_none(traced: Tested, receiver: Receiver):
    response = traced.invoke("observed/first", None, traceparent=CALLER.replace("b7ad", "B7AD"))
    trace = response.json()["traceparent"].split("-")[1]
    assert trace != TRACE
    (request,) = [one for one in spans(receiver, trace, response.headers["Sand-Execution-Id"], 5) if one.kind == 2]
    assert request.parent_id == ""
