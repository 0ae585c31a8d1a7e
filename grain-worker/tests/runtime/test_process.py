"""`context.process`: what a function that runs in a cloud process can do, against the tests' host agent."""

from __future__ import annotations

import json
import textwrap
from typing import Any

import pytest
from broker_data import sand
from sandbox import Sandbox


def payload(value: Any) -> Any:
    return sand.Payload(contentType="application/json", bytes=json.dumps(value).encode())


def message(source: str, key: str, value: Any) -> Any:
    return sand.Message(source=source, key=key, payload=payload(value))


def run(sandbox: Sandbox, body: str, value: Any = None, **event: Any) -> Any:
    """What a function answers whose body that is; it runs in process `p`."""
    lines = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    code = f"import sand\ndef handle(event, context):\n    p = context.process\n{lines}\n"
    return sandbox.invoke(sandbox.ready(code), value, **{"process": "p", "attempt": 2, **event})


def output(answer: Any) -> Any:
    assert isinstance(answer, sand.FinishRequest), answer
    return json.loads(answer.output.bytes)


def test_there_is_none_without_a_process(sandbox: Sandbox) -> None:
    answer = sandbox.invoke(sandbox.ready("def handle(event, context):\n    return context.process"))
    assert output(answer) is None
    assert answer.stateWrites is None


@pytest.mark.parametrize("also", ["", "import numpy"])
def test_no_child_imports_what_its_worker_has(sandbox: Sandbox, also: str) -> None:
    code = f"""
        import sys
        {also}

        def handle(event, context):
            before = set(sys.modules)
            context.process.state("a", {"numpy.ones(10_000)" if also else "b'a' * 80_000"})
            return [len(context.process.state("a")), len(event), sorted(set(sys.modules) - before)]
        """
    worker = sandbox.ready(textwrap.dedent(code))
    assert sandbox.output(worker, "x" * 100_000, process="p") == [10_000 if also else 80_000, 100_000, []]


def test_it_says_which_and_by_what_key_it_was_invoked(sandbox: Sandbox) -> None:
    body = "return [p.id, p.invocation_key, p is context.process, p.SELF is sand.SELF, p.ANY is sand.ANY]"
    assert output(run(sandbox, body)) == ["p", None, True, True, True]
    assert output(run(sandbox, body, process="p/epoch/7"))[:2] == ["p", "epoch/7"]
    assert output(run(sandbox, body, process="p/"))[:2] == ["p", ""]


def test_reads_see_own_writes_which_go_with_finish(sandbox: Sandbox) -> None:
    sandbox.broker.state = {"a": payload(1), "b": payload(2), "é": payload(3), "😀": payload(4), "\uffff": payload(5)}
    answer = run(
        sandbox,
        """
        seen = [p.state("a"), p.state("none"), p.state("none", default=7)]
        p.state("a", 10); p.state("n", None); p.state("c", b"raw")
        seen += [p.state("a"), p.state("n", default=1), p.delete_state("b"), p.delete_state("b"), p.delete_state("nothing")]
        return [*seen, p.state("b"), p.state_keys()]
        """,
    )
    keys = ["a", "c", "n", "é", "\uffff", "😀"]
    assert output(answer) == [1, None, 7, 10, None, True, False, False, None, keys]
    writes = {write.key: write.value and write.value.bytes for write in answer.stateWrites}
    assert writes == {"a": b"10", "n": b"null", "c": b"raw", "b": None, "nothing": None}
    assert sandbox.broker.written_ahead == []


def test_what_came_with_the_event_is_not_asked_for(sandbox: Sandbox) -> None:
    told = [sand.StateWrite(key="a", value=payload(1)), sand.StateWrite(key="none"), sand.StateWrite(key="b", value=payload(2))]
    sandbox.broker.state = {"a": payload("asked"), "b": payload("asked"), "c": payload(3)}
    answer = run(
        sandbox,
        """
        seen = [p.state("a"), p.state("none", default=7), p.delete_state("none"), p.delete_state("b"), p.state("b")]
        seen.append(p.state("c"))
        p.state("a", 10)
        return [*seen, p.state("a")]
        """,
        state=told,
    )
    assert output(answer) == [1, 7, False, True, None, 3, 10]
    assert [one.key for one in sandbox.broker.asked("stateGet")] == ["c"]


def test_what_was_written_ahead_is_asked_for_though_it_came_with_the_event(sandbox: Sandbox) -> None:
    body = """
        p.state("a", "new")
        for i in range(12):
            p.state(f"k{i}", "x" * 30_000)
        return p.state("a")
    """
    answer = run(sandbox, body, state=[sand.StateWrite(key="a", value=payload("old"))])
    assert sandbox.broker.written_ahead
    assert output(answer) == "new"


def test_a_function_that_fails_sends_no_writes(sandbox: Sandbox) -> None:
    failed = run(sandbox, "p.state('a', 1)\nraise KeyError(p.state('a'))")
    assert (failed.error, failed.cause) == ("KeyError", "1")


def test_all_keys_come_in_pages(sandbox: Sandbox) -> None:
    sandbox.broker.state = {f"k{i:05}": payload(i) for i in range(2_000)}
    assert output(run(sandbox, "return len(p.state_keys())")) == 2_000
    assert [one.after for one in sandbox.broker.asked("stateKeys")] == [None, "k00999", "k01999"]


def test_writes_that_do_not_fit_in_a_frame_go_ahead(sandbox: Sandbox) -> None:
    answer = run(
        sandbox,
        """
        for i in range(40):
            p.state(f"k{i}", "x" * 30_000)
        p.state("k0", "last")
        return [p.state("k0"), len(p.state("k1"))]
        """,
    )
    assert output(answer) == ["last", 30_000]
    ahead = [write.key for write in sandbox.broker.written_ahead]
    rest = [write.key for write in answer.stateWrites]
    assert len(ahead) > 20 and {*ahead, *rest} == {f"k{i}" for i in range(40)} and rest[-1] == "k0"
    assert {(one.eventId, one.attempt) for one in sandbox.broker.asked("stateWrite")} == {(answer.eventId, 2)}


def test_sends_are_numbered_and_wait_no_longer_than_the_attempt(sandbox: Sandbox) -> None:
    answer = run(
        sandbox,
        """
        p.send("other", "k", {"n": 1}); p.send(p.SELF, "invoke:f:1", b"raw", timeout=0); p.send("p", "k", None, timeout=2)
        p.invoke("other", "f", 1); p.send("other", "last", 2, timeout=1e9)
        """,
        remainingMs=10_000,
    )
    assert output(answer) is None
    sent = sandbox.broker.asked("send")
    assert [(one.number, one.destination, one.key) for one in sent] == [
        (0, "other", "k"), (1, "p", "invoke:f:1"), (2, "p", "k"), (4, "other", "last"),
    ]  # fmt: skip
    assert [one.payload.bytes for one in sent] == [b'{"n":1}', b"raw", b"null", b"2"]
    assert {(one.eventId, one.attempt) for one in sent} == {(answer.eventId, 2)}
    assert 0 < sent[0].waitMs <= 9_750 and sent[1].waitMs == 0 and sent[2].waitMs == 2_000 and 0 < sent[3].waitMs <= 9_750


@pytest.mark.parametrize(("to", "error"), [("full", "Overloaded"), ("gone", "NotFound")])
def test_a_refused_send_is_the_senders_error(sandbox: Sandbox, to: str, error: str) -> None:
    body = f"try:\n    p.send('{to}', 'k', 1)\nexcept sand.{error} as refused:\n    return str(refused)"
    assert to in output(run(sandbox, body))
    assert run(sandbox, f"p.send('{to}', 'k', 1)").error == f"Sand.{error}"


@pytest.mark.parametrize("key", ["", "x" * 1025, "\ud800"])
def test_a_key_that_is_no_text_of_its_size_is_refused(sandbox: Sandbox, key: str) -> None:
    assert run(sandbox, f"p.state({key!r}, 1)").error == "Sand.BadRequest"
    assert run(sandbox, f"p.send('other', {key!r}, 1)").error == "Sand.BadRequest"
    assert not sandbox.broker.process_calls


WRONG = {
    "p.state(5)": "TypeError: a key is text, not 5 (int)",
    "p.state(None, 1)": "TypeError: a key is text, not None (NoneType)",
    "p.delete_state(b'k')": "TypeError: a key is text, not b'k' (bytes)",
    "p.state(sand.ANY)": "Sand.BadRequest: sand.ANY is no key of a value or a message",
    "p.send('q', ('k',), 1)": "TypeError: a key is text, not ('k',) (tuple)",
    "p.send('q', sand.ANY, 1)": "Sand.BadRequest: sand.ANY is no key of a value or a message",
    "p.send(7, 'k', 1)": "TypeError: a process is an id, or SELF, not 7 (int)",
    "p.send(None, 'k', 1)": "TypeError: a process is an id, or SELF, not None (NoneType)",
    "p.send(sand.ANY, 'k', 1)": "Sand.BadRequest: ANY is no process: it is for receiving",
    "p.send('\\ud800', 'k', 1)": "Sand.NotFound: there is no process '\\ud800'",
    "p.send('q', 'k', {1})": "Sand.Unserializable: the message k cannot be encoded:"
    " Object of type set is not JSON serializable",
    "p.send('q', 'k', 1, timeout='1')": "TypeError: timeout is seconds, or None, not '1' (str)",
    "p.recv(timeout='x')": "TypeError: timeout is seconds, or None, not 'x' (str)",
    "p.recv(timeout=float('nan'))": "ValueError: timeout is seconds, or None, not nan",
    "p.recv(timeout=True)": "TypeError: timeout is seconds, or None, not True (bool)",
    "p.recv(timeout=[1])": "TypeError: timeout is seconds, or None, not [1] (list)",
    "p.recv(source=3)": "TypeError: a process is an id, or SELF, not 3 (int)",
    "p.recv(key=3)": "TypeError: a key is text, not 3 (int)",
    "p.recv(key=sand.SELF)": "Sand.BadRequest: sand.SELF is no key of a value or a message",
    "p.invoke('q', None)": "TypeError: function is the name of a grain, not None (NoneType)",
    "p.invoke(None, 'f')": "TypeError: a process is an id, or SELF, not None (NoneType)",
    "p.invoke('q', '\\ud800')": "Sand.UnknownGrain: the application has no grain '\\ud800'",
    "p.watch_processes('1')": "TypeError: version is a number that watch_processes gave, or None, not '1' (str)",
    "p.watch_processes(1 << 70)": f"ValueError: version is a number that watch_processes gave, or None, not {1 << 70}",
    "p.watch_processes(1, 'x')": "TypeError: timeout is seconds, or None, not 'x' (str)",
    "p.watch_processes(timeout='x')": "TypeError: timeout is seconds, or None, not 'x' (str)",
}


@pytest.mark.parametrize("call", WRONG)
def test_a_wrong_argument_is_told_in_words_of_ours(sandbox: Sandbox, call: str) -> None:
    failed = run(sandbox, call)
    assert f"{failed.error}: {failed.cause}" == WRONG[call]
    assert not sandbox.broker.process_calls


@pytest.mark.parametrize("timeout", ["float('inf')", "10 ** 400", "__import__('decimal').Decimal(9999)"])
def test_a_timeout_may_be_any_number(sandbox: Sandbox, timeout: str) -> None:
    assert output(run(sandbox, f"p.send('other', 'k', 1, timeout={timeout})", remainingMs=10_000)) is None
    assert 0 < sandbox.broker.asked("send")[0].waitMs <= 9_750


def test_odd_keys_travel_as_they_are(sandbox: Sandbox) -> None:
    odd = "\0\n\x7f @any /:é😀"
    answer = run(sandbox, "p.send('other', event, 1); p.state(event, 2); return p.recv(key=event, timeout=0)", odd)
    assert output(answer) is None
    assert [one.key for _, one in sandbox.broker.process_calls] == [odd, odd]
    assert answer.stateWrites[0].key == odd


def test_received_messages_say_whose_they_are(sandbox: Sandbox) -> None:
    sandbox.broker.mailbox = [message("p", "own", 1), message("q", "@any", 2), message("q", "k", [3])]
    body = """
        first = p.recv_message(p.SELF, timeout=0)
        assert type(first).__name__ == "Message" and first.source is p.SELF
        second = p.recv_message("q", "@" + "any", timeout=0)
        return [first.key, first.data, second.source, second.data, p.recv("q", p.ANY), p.recv(timeout=0)]
    """
    assert output(run(sandbox, body)) == ["own", 1, "q", 2, [3], None]
    asked = [(one.source, one.key) for one in sandbox.broker.asked("receive")]
    assert asked == [("p", None), ("q", "@any"), ("q", None), (None, None)]


def test_receiving_waits_for_a_message(sandbox: Sandbox) -> None:
    worker = sandbox.ready("def handle(event, context):\n    return context.process.recv('q', 'k', timeout=event)")
    sandbox.spawn(worker)
    event = sandbox.event(5, process="p")
    sandbox.broker.hand(event)
    sandbox.broker.until(lambda: sandbox.broker.waiting_receives, "a receive that waits")
    assert sandbox.broker.asked("receive")[0].waitMs == 5_000
    sandbox.broker.waiting_receives.pop()(sand.ReceiveReply(message=message("q", "k", "here")))
    assert output(sandbox.broker.until(lambda: sandbox.answer(event.eventId))) == "here"


def test_nothing_until_the_deadline_is_a_timeout(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        """
        def handle(event, context):
            try:
                context.process.recv()
            except TimeoutError as late:
                return type(late).__name__
        """
    )
    sandbox.spawn(worker)
    event = sandbox.event(process="p", remainingMs=8_000)
    sandbox.broker.hand(event)
    sandbox.broker.until(lambda: sandbox.broker.waiting_receives, "a receive that waits")
    assert 0 < sandbox.broker.asked("receive")[0].waitMs <= 7_750
    sandbox.broker.waiting_receives.pop()(sand.ReceiveReply())
    assert output(sandbox.broker.until(lambda: sandbox.answer(event.eventId))) == "Timeout"


def test_invoked_functions_have_results_errors_or_nothing_yet(sandbox: Sandbox) -> None:
    body = """
        call = p.invoke("q", "f", {"n": 1})
        try:
            return ["output", call.id, call.result(), call.result()]
        except sand.InvocationFailed as failed:
            return ["failed", failed.error, failed.cause]
        except TimeoutError:
            return ["not yet"]
    """
    results = sandbox.broker.results
    results["e#0"] = sand.ProcessResult(output=payload({"sum": 3}))
    assert output(run(sandbox, body, eventId="e")) == ["output", "e#0", {"sum": 3}, {"sum": 3}]
    assert sandbox.broker.asked("processResult") == [], "it came with what invoked it"
    (asked,) = sandbox.broker.asked("processInvoke")
    assert (asked.destination, asked.grain, asked.payload.bytes, asked.number) == ("q", "f", b'{"n":1}', 0)
    results["f#0"] = sand.ProcessResult(error="ValueError", cause="no")
    assert output(run(sandbox, body, eventId="f")) == ["failed", "ValueError", "no"]
    assert output(run(sandbox, body, eventId="g")) == ["not yet"]
    results["h#0"] = results["f#0"]
    failed = run(sandbox, "return p.invoke('q', 'f').result()", eventId="h")
    assert (failed.error, failed.cause) == ("ValueError", "no")


@pytest.mark.parametrize("first", ["pass", "call.result(timeout=2)"], ids=["asked for", "there already"])
@pytest.mark.parametrize(
    ("timeout", "told"),
    [
        ("float('nan')", "ValueError: timeout is seconds, or None, not nan"),
        ("'x'", "TypeError: timeout is seconds, or None, not 'x' (str)"),
    ],
)
def test_a_wrong_timeout_is_told_whether_the_result_is_there_or_not(
    sandbox: Sandbox, first: str, timeout: str, told: str
) -> None:
    sandbox.broker.results["e#0"] = sand.ProcessResult(output=payload(3))
    failed = run(sandbox, f"call = p.invoke('q', 'f'); {first}; call.result({timeout})", eventId="e")
    assert f"{failed.error}: {failed.cause}" == told


def test_processes_are_listed_and_watched(sandbox: Sandbox) -> None:
    entry = sand.ProcessEntry(process="q", status="idle")
    sandbox.broker.process_list = sand.ProcessList(version=4, processes=[entry])
    body = """
        version, now = p.watch_processes()
        one, = p.processes()
        assert [one] == now and (one.process, one.status) == ("q", "idle")
        newer, then = p.watch_processes(version, timeout=3)
        return [version, newer, [[*each] for each in then]]
    """
    worker = sandbox.ready("def handle(event, context):\n    p = context.process\n" + body.replace("        ", "    "))
    sandbox.spawn(worker)
    event = sandbox.event(process="p")
    sandbox.broker.hand(event)
    sandbox.broker.until(lambda: sandbox.broker.waiting_lists, "a watch")
    last = sandbox.broker.asked("processList")[-1]
    assert (last.newerThan, last.waitMs) == (4, 3_000)
    entry = sand.ProcessEntry(process="q", status="swapped")
    sandbox.broker.waiting_lists.pop()(sand.ProcessList(version=5, processes=[entry]))
    assert output(sandbox.broker.until(lambda: sandbox.answer(event.eventId))) == [4, 5, [["q", "swapped"]]]


def test_large_values_are_copied_unless_they_are_to_be_shared(sandbox: Sandbox) -> None:
    body = """
        import numpy
        if event == "write":
            p.state("bytes", bytes(range(256)) * 1024); p.state("array", numpy.arange(40_000.0)); p.state("small", b"s")
            return len(p.state("bytes"))
        mapped = lambda: sum("memfd" in line for line in open("/proc/self/maps"))
        copied, array = p.state("bytes"), p.state("array")
        assert type(copied) is bytes and array.flags.writeable and mapped() == 0
        view, shared = p.state("bytes", shared=True), p.state("array", shared=True)
        assert type(view) is memoryview and view.readonly and not shared.flags.writeable and mapped() == 2
        assert type(p.state("small", shared=True)) is bytes
        return [bytes(view) == copied, bool((shared == array).all())]
    """
    written = run(sandbox, body, "write")
    assert output(written) == 256 * 1024
    sandbox.broker.state = {write.key: write.value for write in written.stateWrites}
    assert sandbox.broker.state["bytes"].reference.size == 256 * 1024
    assert output(run(sandbox, body, "read")) == [True, True]


def test_state_that_is_written_can_be_read(sandbox: Sandbox) -> None:
    body = """
        import numpy
        if event == "write":
            deep = 1
            for _ in range(500):
                deep = [deep]
            p.state("deep", deep)
            for columns in (450, 5_000):
                p.state(f"wide-{columns}", numpy.ones(1, [(f"column_{i:04d}", "f8") for i in range(columns)]))
            for refused in ([deep], numpy.empty(3, "V0"), numpy.ones(1, [(f"column_{i:05d}", "f8") for i in range(15_000)])):
                with __import__("pytest").raises(sand.errors.Unserializable):
                    p.state("no", refused)
            return None
        deep, levels = p.state("deep"), 0
        while isinstance(deep, list):
            deep, levels = deep[0], levels + 1
        wide = [p.state(f"wide-{columns}", shared=shared) for columns in (450, 5_000) for shared in (True, False)]
        return [levels, [[len(each.dtype.names), each["column_0449"].tolist()] for each in wide]]
    """
    written = run(sandbox, body, "write")
    assert output(written) is None
    sandbox.broker.state = {write.key: write.value for write in written.stateWrites}
    assert output(run(sandbox, body, "read")) == [500, [[450, [1.0]], [450, [1.0]], [5_000, [1.0]], [5_000, [1.0]]]]


def test_the_input_of_several_messages_is_a_list_of_their_values(sandbox: Sandbox) -> None:
    import numpy

    from sand import arrays, lists

    array = b"".join(bytes(part) for part in arrays.encode(numpy.arange(3), "it"))
    data = lists.encode([("application/json", b'{"n":1}'), ("application/x-npy", array), ("text/plain", b"raw")])
    body = "return [event[0], event[1].tolist(), event[2].decode(), len(event), type(event).__name__]"
    several = sand.Payload(contentType="application/x-sand-list", bytes=data)
    assert output(run(sandbox, body, payload=several)) == [{"n": 1}, [0, 1, 2], "raw", 3, "list"]
    cut = sand.Payload(contentType="application/x-sand-list", bytes=data[:-70])
    assert run(sandbox, body, payload=cut).error == "Sand.BadRequest"
