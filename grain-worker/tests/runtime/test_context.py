"""The handler's second argument, and values on their way in and out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from broker_data import sand
from sandbox import Sandbox

from sand import values
from sand.errors import Unserializable


def test_the_context_says_what_runs(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        """
        import time
        def handle(event, c):
            assert 0 < c.remaining_ms() <= 5000
            assert abs(c.deadline - time.time() - c.remaining_ms() / 1000) < 1
            return [c.application, c.grain, c.version, c.execution_id, c.invocation_id, c.attempt, c.traceparent]
        """
    )
    output = sandbox.output(worker, executionId="x", eventId="x/main", attempt=2, remainingMs=5000, traceparent="00-1-2-01")
    assert output == ["app", "main", "1", "x", "x/main", 2, "00-1-2-01"]


TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.mark.parametrize("isolation", ["request", "worker"])
def test_spans_of_a_handler_are_below_the_platforms(sandbox: Sandbox, isolation: str) -> None:
    code = f"""
    import sys
    sys.path.append({site_packages()!r})
    from opentelemetry import trace
    def handle(event, context):
        span = trace.get_current_span().get_span_context()
        if event == "raise":
            raise ValueError
        return [format(span.trace_id, "032x"), format(span.span_id, "016x"), int(span.trace_flags)]
    """
    worker = sandbox.ready(code, isolation=isolation)
    ids = [TRACEPARENT.split("-")[1], TRACEPARENT.split("-")[2], 1]
    assert sandbox.output(worker, traceparent=TRACEPARENT) == ids
    assert sandbox.invoke(worker, "raise", traceparent=TRACEPARENT).error == "ValueError"
    # The next one in the same process has none.
    assert sandbox.output(worker) == ["0" * 32, "0" * 16, 0]
    assert sandbox.output(worker, traceparent="nonsense")[0] == "0" * 32


def site_packages() -> str:
    import opentelemetry.trace

    return str(Path(opentelemetry.trace.__file__).parents[2])


def test_a_grain_without_opentelemetry_never_has_it(sandbox: Sandbox) -> None:
    worker = sandbox.ready("import sys\ndef handle(event, context):\n    return 'sand.telemetry' in sys.modules")
    assert sandbox.output(worker, traceparent=TRACEPARENT) is False


def test_secrets_are_given_by_name_and_are_in_no_environment(sandbox: Sandbox) -> None:
    code = """
    import os, sand
    def handle(event, context):
        assert "hidden" not in str(os.environ)
        try:
            return context.secret(event)
        except sand.NotFound as missing:
            return str(missing)
    """
    worker = sandbox.ready(code, secrets={"KEY": "hidden"})
    assert sandbox.output(worker, "KEY") == "hidden"
    assert "no secret OTHER for grain main" in sandbox.output(worker, "OTHER")


def test_the_logger_writes_a_json_object_a_line(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        """
        def handle(event, context):
            log = context.logger
            log.debug("d")
            log.info("%s of %d", "one", 2, size=3, odd={1})
            log.warning("100%", broken=float("nan"))
            log.error("two\\nlines")
            try:
                1 / 0
            except ZeroDivisionError:
                log.exception("failed")
        """
    )
    (name,) = sandbox.spawn(worker)
    sandbox.send()
    sandbox.broker.until(lambda: sandbox.broker.log(name).count("\n") == 5, "five lines")
    records = [json.loads(line) for line in sandbox.broker.log(name).splitlines()]
    assert [(record["level"], record["message"]) for record in records] == [
        ("debug", "d"), ("info", "one of 2"), ("warning", "100%"), ("error", "two\nlines"), ("error", "failed"),
    ]  # fmt: skip
    assert (records[1]["size"], records[1]["odd"]) == (3, "{1}")
    assert "ZeroDivisionError" in records[4]["exception"]
    assert records[0]["time"].endswith("Z")


def test_shared_data(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        """
        import sand
        def handle(event, context):
            data = context.data
            assert data.get("a/1") is None and data.get("a/1", 7) == 7
            assert data.put("a/1", {"n": 1}) == 1
            assert data.put("a/2", b"bytes", if_version=0) == 1
            assert data.versioned("a/1") == ({"n": 1}, 1)
            try:
                data.put("a/1", 2, if_version=5)
                assert False
            except sand.Conflict as conflict:
                assert "version 1" in str(conflict)
            assert data.get("a/2") == b"bytes"
            assert data.list("a/") == ["a/1", "a/2"] and data.list("a/", after="a/1") == ["a/2"]
            assert data.counter("hits") == 1 and data.counter("hits", -3) == -2
            assert data.delete("a/1") is True and data.delete("a/1") is False
            return "all"
        """
    )
    assert sandbox.output(worker) == "all"


def test_an_uncaught_refusal_fails_under_its_own_name(sandbox: Sandbox) -> None:
    worker = sandbox.ready("def handle(event, context):\n    context.data.put('k', 1, if_version=3)")
    assert sandbox.invoke(worker).error == "Sand.Conflict"


def test_publications_travel_with_finish(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        """
        def handle(event, context):
            context.publish("other", {"n": 1})
            context.publish("main", b"raw")
        """
    )
    answer = sandbox.invoke(worker)
    assert [(one.grain, one.payload.contentType, one.payload.bytes) for one in answer.published] == [
        ("other", "application/json", b'{"n":1}'), ("main", "application/octet-stream", b"raw"),
    ]  # fmt: skip
    assert answer.output.bytes == b"null"


def test_many_publications_are_sent_ahead_in_order(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        "def handle(event, context):\n    for n in range(100):\n        context.publish('other', [n, 'x' * 9000])"
    )
    answer = sandbox.invoke(worker)
    ahead = [one.publication for one in sandbox.broker.published]
    numbers = [json.loads(one.payload.bytes)[0] for one in (*ahead, *(answer.published or ()))]
    assert numbers == [*range(100)]
    assert len(ahead) > 0


def test_a_failed_attempt_publishes_nothing(sandbox: Sandbox) -> None:
    worker = sandbox.ready("def handle(event, context):\n    context.publish('other', 1)\n    raise ValueError('no')")
    assert isinstance(sandbox.invoke(worker), sand.FailRequest)
    assert sandbox.broker.published == []


@pytest.mark.parametrize(
    ("code", "error", "cause"),
    [
        ("context.publish('absent', 1)", "Sand.UnknownGrain", "application app has no grain absent; it has main, other"),
        ("context.publish('other', {1})", "Sand.Unserializable", "the payload published to other"),
        ("[context.publish('other', n) for n in range(1001)]", "Sand.TooLarge", "at most 1000 events"),
    ],
)
def test_what_cannot_be_published_is_refused_at_once(sandbox: Sandbox, code: str, error: str, cause: str) -> None:
    failed = sandbox.invoke(sandbox.ready(f"def handle(event, context):\n    {code}"))
    assert failed.error == error
    assert cause in failed.cause


@pytest.mark.parametrize(
    ("result", "content_type", "data"),
    [
        ("None", "application/json", b"null"),
        ("'é\\ud800'", "application/json", b'"\\u00e9\\ud800"'),
        ("{'a': 'é', 1: (True, 2.5)}", "application/json", '{"a":"é","1":[true,2.5]}'.encode()),
        ("b'ab'", "application/octet-stream", b"ab"),
        ("memoryview(bytearray(b'ab'))", "application/octet-stream", b"ab"),
        ("sand.Response(b'ab', 'image/png')", "image/png", b"ab"),
        ("sand.Response('é', 'text/plain')", "text/plain", "é".encode()),
    ],
)
def test_results(sandbox: Sandbox, result: str, content_type: str, data: bytes) -> None:
    output = sandbox.invoke(sandbox.ready(f"import sand\ndef handle(event, context):\n    return {result}")).output
    assert (output.contentType, output.bytes, output.reference) == (content_type, data, None)


def test_other_content_types_are_bytes(sandbox: Sandbox) -> None:
    worker = sandbox.ready("def handle(event, context):\n    assert type(event) is bytes\n    return event")
    assert sandbox.invoke(worker, b"\0\1", content_type="image/png").output.bytes == b"\0\1"


@pytest.mark.parametrize("size", [9_000, 64 * 1024])
def test_payloads_up_to_the_limit_travel_in_the_frame(sandbox: Sandbox, size: int) -> None:
    worker = sandbox.ready("def handle(event, context):\n    return event")
    assert sandbox.invoke(worker, b"x" * size, content_type="text/plain").output.bytes == b"x" * size


def test_large_values_are_mapped_not_copied(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        """
        def handle(event, context):
            if event is None:
                return bytes(range(256)) * 4096
            assert type(event) is memoryview and event.readonly and len(event) == 1 << 20
            assert bytes(event[:256]) == bytes(range(256)) == bytes(event[-256:])
            return [line for line in open("/proc/self/maps") if "memfd" in line]
        """
    )
    output = sandbox.invoke(worker).output
    assert output.bytes is None
    assert output.reference.size == 1 << 20
    (mapped,) = json.loads(sandbox.invoke(worker, payload=output).output.bytes)
    assert "r--s" in mapped


def test_of_a_value_that_is_hardly_large_there_is_a_copy_and_no_map(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        """
        def handle(event, context):
            if event is None:
                return bytes(65_537)
            assert type(event) is memoryview and event.readonly and event == bytes(65_537)
            return [line for line in open("/proc/self/maps") if "memfd" in line]
        """
    )
    assert json.loads(sandbox.invoke(worker, payload=sandbox.invoke(worker).output).output.bytes) == []


def test_large_json_is_decoded_from_the_map(sandbox: Sandbox) -> None:
    worker = sandbox.ready("def handle(event, context):\n    return 'x' * 100_000 if event is None else len(event)")
    assert json.loads(sandbox.invoke(worker, payload=sandbox.invoke(worker).output).output.bytes) == 100_000


def test_an_object_that_is_gone_fails_the_attempt(sandbox: Sandbox) -> None:
    worker = sandbox.ready("def handle(event, context): pass")
    gone = sand.Payload(contentType="application/octet-stream", reference=sand.DataReference(object="gone", size=1))
    failed = sandbox.invoke(worker, payload=gone)
    assert (failed.error, failed.cause) == ("Sand.NotFound", "no object gone")


@pytest.mark.parametrize("shape", ["(3,)", "(200, 300)", "()", "(0, 4)"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_keep_type_shape_and_order(sandbox: Sandbox, shape: str, order: str) -> None:
    worker = sandbox.ready(
        f"""
        import numpy
        wanted = numpy.asarray(numpy.random.RandomState(1).rand(*{shape}), order="{order}")
        def handle(event, context):
            if event is None:
                return wanted
            assert event.dtype == wanted.dtype and event.shape == wanted.shape and not event.flags.writeable
            assert event.flags.f_contiguous == wanted.flags.f_contiguous
            assert event.size < 10 or not event.flags.owndata
            return bool((event == wanted).all())
        """
    )
    output = sandbox.invoke(worker).output
    assert output.contentType == "application/x-npy"
    assert sandbox.output(worker, payload=output) is True


def test_numpys_numbers_are_json(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        "import numpy\ndef handle(event, context):\n    return {'n': numpy.int64(3), 'f': numpy.float32(0.5)}"
    )
    assert sandbox.output(worker) == {"n": 3, "f": 0.5}


@pytest.mark.parametrize("unit", ["Y", "M", "D", "h", "s", "ms", "us", "ns", "as"])
def test_numpys_times_are_not_json_in_any_unit(unit: str) -> None:
    import numpy

    record = numpy.array([(0, "2026")], [("id", "i4"), ("at", f"M8[{unit}]" if unit != "as" else "M8[ns]")])[0]
    for time in (numpy.datetime64("1970", unit), numpy.timedelta64(1, unit), numpy.datetime64("NaT", unit), record):
        for value in (time, {"at": time}, [time]):
            with pytest.raises(Unserializable, match=r"Object of type (datetime|timedelta)64 is not JSON serializable"):
                values.encode(value, "", "the value", None)


def test_numpys_other_scalars_are_json_as_they_were() -> None:
    import numpy

    record = numpy.array([(1, 2.5, "a", [3, 4])], [("id", "i4"), ("price", "f4"), ("name", "U3"), ("sizes", "i4", (2,))])[0]
    given = [numpy.int8(1), numpy.float16(0.5), numpy.bool_(True), numpy.str_("a"), record[["id", "price", "name"]]]
    assert values.to_json(given) == b'[1,0.5,true,"a",[1,2.5,"a"]]'
    with pytest.raises(Unserializable, match="Object of type longdouble is not JSON serializable"):
        values.encode(numpy.longdouble(1), "", "the value", None)


@pytest.mark.parametrize("code", ["numpy.array([object()])", "numpy.array([{}], dtype=object)"])
def test_arrays_of_objects_do_not_travel(sandbox: Sandbox, code: str) -> None:
    failed = sandbox.invoke(sandbox.ready(f"import numpy\ndef handle(event, context):\n    return {code}"))
    assert failed.error == "Sand.Unserializable"


@pytest.mark.parametrize("code", ["numpy.ma.array([1.0, -9999.0], mask=[0, 1])", "numpy.ma.masked", "{'a': numpy.ma.masked}"])
def test_masked_arrays_do_not_travel(sandbox: Sandbox, code: str) -> None:
    failed = sandbox.invoke(sandbox.ready(f"import numpy\ndef handle(event, context):\n    return {code}"))
    assert failed.error == "Sand.Unserializable"


def test_a_message_for_a_queue_is_sent_at_once_and_numbered(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        """
        def handle(event, context):
            return [context.enqueue("orders", {"n": 1}, group="a"), context.enqueue("orders", b"raw")]
        """
    )
    first, second = sandbox.output(worker)
    assert first.endswith("#0") and second.endswith("#1")
    queued = sandbox.broker.queued
    assert [(one.queue, one.number, one.group) for one in queued] == [("orders", 0, "a"), ("orders", 1, None)]
    assert [(one.payload.contentType, one.payload.bytes) for one in queued] == [
        ("application/json", b'{"n":1}'),
        ("application/octet-stream", b"raw"),
    ]


def test_a_call_to_the_platform_gives_status_and_body_or_is_denied(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        """
        from sand.errors import Denied
        def handle(event, context):
            try:
                return context.platform.call("moveAlias", event, {"parameters": {"app": "é"}, "body": {"version": 3}})
            except Denied:
                return "Sand.Denied"
        """
    )
    sandbox.broker.controlled = (204, b"")
    assert sandbox.output(worker, json.dumps("T").encode()) == [204, None]
    request = sandbox.broker.control_calls[-1]
    assert (request.operation, request.ticket) == ("moveAlias", "T")
    assert json.loads(request.arguments) == {"parameters": {"app": "é"}, "body": {"version": 3}}
    sandbox.broker.controlled = (409, b'{"type": "conflict"}')
    assert sandbox.output(worker, json.dumps("T").encode()) == [409, {"type": "conflict"}]
    sandbox.broker.controlled = None
    assert sandbox.output(worker, json.dumps("T").encode()) == "Sand.Denied"
