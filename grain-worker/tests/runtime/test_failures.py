"""Each way a handler can go wrong: its own clear error, and the next request is served."""

from __future__ import annotations

import signal

import pytest
from broker_data import sand
from sandbox import Sandbox

GOOD = "def handle(event, context):\n    return 'served'"


def failure(sandbox: Sandbox, code: str, value: object = None, **configuration: object) -> sand.FailRequest:
    """The fail of a handler with that code; afterwards another request is served by the same sandbox."""
    answer = sandbox.invoke(sandbox.ready(code, **configuration), value)
    assert isinstance(answer, sand.FailRequest), answer
    assert sandbox.output(sandbox.ready(GOOD, grain="other")) == "served"
    return answer


def end(sandbox: Sandbox, code: str, **configuration: object) -> tuple[str, sand.InstanceExitedReport]:
    """How the process of a handler that does not answer ended."""
    worker = sandbox.ready(code, **configuration)
    (name,) = sandbox.spawn(worker)
    event = sandbox.event()
    sandbox.broker.hand(event)
    report = sandbox.broker.report("instanceExited", instance=name)
    assert sandbox.answer(event.eventId) is None
    assert sandbox.output(sandbox.ready(GOOD, grain="other")) == "served"
    return name, report


def test_an_exception_is_reported_with_the_users_own_frames(sandbox: Sandbox) -> None:
    failed = failure(
        sandbox,
        """
        class Odd(Exception):
            pass

        def inner(event):
            try:
                return 1 / event
            except ZeroDivisionError as zero:
                raise Odd("no " + str(event)) from zero

        def handle(event, context):
            return inner(event)
        """,
        0,
    )
    assert (failed.error, failed.cause, failed.attempt) == ("Odd", "no 0", 1)
    assert "ZeroDivisionError" in failed.stackTrace
    assert "in inner" in failed.stackTrace
    assert "in handle" in failed.stackTrace
    assert "instance.py" not in failed.stackTrace
    # Where the sandbox lies on its host is nothing to its author, and the lines themselves are there all the same.
    assert 'File "/' not in failed.stackTrace
    assert "return 1 / event" in failed.stackTrace
    assert 0 < failed.startedNs <= failed.endedNs


@pytest.mark.parametrize("error", ["KeyboardInterrupt", "GeneratorExit", "RecursionError", "BaseException"])
def test_any_exception_is_data(sandbox: Sandbox, error: str) -> None:
    assert failure(sandbox, f"def handle(event, context):\n    raise {error}('x')").error == error


def test_an_exception_that_cannot_be_shown(sandbox: Sandbox) -> None:
    code = """
    class Broken(Exception):
        def __str__(self):
            raise ValueError("no")
    def handle(event, context):
        raise Broken()
    """
    failed = failure(sandbox, code)
    assert failed.error == "Broken"
    assert "cannot be shown" in failed.cause


def test_a_long_cause_is_cut(sandbox: Sandbox) -> None:
    failed = failure(sandbox, "def handle(event, context):\n    raise ValueError('é' * 1_000_000)")
    assert len(failed.cause.encode()) <= 32 * 1024
    assert "left out" in failed.cause
    assert len(failed.stackTrace.encode()) <= 32 * 1024


def test_infinite_recursion(sandbox: Sandbox) -> None:
    failed = failure(sandbox, "def handle(event, context):\n    return handle(event, context)")
    assert failed.error == "RecursionError"
    assert "repeated" in failed.stackTrace


@pytest.mark.parametrize(
    ("code", "exit_code"),
    [("sys.exit()", 0), ("sys.exit(300)", 300 & 0xFF), ("sys.exit('gone')", 1), ("os._exit(7)", 7), ("raise SystemExit(4)", 4)],
)
def test_an_exit_ends_the_process(sandbox: Sandbox, code: str, exit_code: int) -> None:
    name, ended = end(sandbox, f"import os, sys\ndef handle(event, context):\n    print('before')\n    {code}")
    assert (ended.exitCode, ended.signal) == (exit_code, 0)
    sandbox.broker.until(lambda: sandbox.broker.log(name) == "before\n", "its output")
    if "gone" in code:
        sandbox.broker.until(lambda: sandbox.broker.log(name, 2) == "gone\n", "its words")


def test_a_segmentation_fault_leaves_a_traceback(sandbox: Sandbox) -> None:
    name, ended = end(sandbox, "import ctypes\ndef handle(event, context):\n    ctypes.string_at(0)")
    assert ended.signal == signal.SIGSEGV
    sandbox.broker.until(lambda: "in handle" in sandbox.broker.log(name, 2), "faulthandler's words")


def test_no_core_is_dumped(sandbox: Sandbox) -> None:
    code = "import resource\ndef handle(event, context):\n    return resource.getrlimit(resource.RLIMIT_CORE)"
    assert sandbox.output(sandbox.ready(code)) == [0, 0]


def test_a_result_that_is_not_json(sandbox: Sandbox) -> None:
    failed = failure(sandbox, "def handle(event, context):\n    return {'a': {1, 2}}")
    assert failed.error == "Sand.Unserializable"
    assert failed.cause == "the handler's result cannot be encoded: Object of type set is not JSON serializable"


@pytest.mark.parametrize("result", ["float('nan')", "loop", "deep", "{(1, 2): 3}"])
def test_results_that_json_cannot_hold(sandbox: Sandbox, result: str) -> None:
    code = f"""
    loop = []
    loop.append(loop)
    deep = []
    for _ in range(100_000):
        deep = [deep]
    def handle(event, context):
        return {result}
    """
    assert failure(sandbox, code).error == "Sand.Unserializable"


def test_a_result_over_the_limit_names_limit_and_size(sandbox: Sandbox) -> None:
    failed = failure(sandbox, "def handle(event, context):\n    return bytes((1 << 30) + 1)")
    assert failed.error == "Sand.TooLarge"
    assert failed.cause == "the handler's result has 1073741825 bytes; the limit is 1073741824"


@pytest.mark.parametrize("payload", [b"{", b"", b"[1] 2", b"\xff", b"[" * 100_000])
def test_an_event_that_is_not_json(sandbox: Sandbox, payload: bytes) -> None:
    failed = failure(sandbox, GOOD, payload)
    assert failed.error == "Sand.BadRequest"
    assert "the payload is not JSON" in failed.cause


def test_an_event_of_a_newer_schema_is_refused(sandbox: Sandbox) -> None:
    failed = sandbox.invoke(sandbox.ready(GOOD), schema=2)
    assert failed.error == "Sand.BadRequest"
    assert "newer" in failed.cause


@pytest.mark.parametrize(
    "code",
    ["return len('x' * (1 << 40))", "return len([0] * (1 << 36))", "a = []\n    while True: a.append(list(range(1000)))"],
)
def test_too_much_memory_is_a_memory_error(sandbox: Sandbox, code: str) -> None:
    failed = failure(sandbox, f"def handle(event, context):\n    {code}", instanceMemoryBytes=128 << 20)
    assert failed.error == "MemoryError"
    assert "in handle" in failed.stackTrace


def test_a_memory_error_names_the_limit(sandbox: Sandbox) -> None:
    code = "def handle(event, context): return len(bytearray(1 << 30))"
    own = failure(sandbox, code, instanceMemoryBytes=128 << 20)
    assert own.cause.startswith("MemoryError (an instance of grain main may hold 128 MiB of data, by memory: in sand.yaml")
    default = failure(sandbox, code, instanceMemoryBytes=256 << 20, memoryByDefault=True)
    assert default.error == "MemoryError"
    assert "256 MiB of data, by default" in default.cause


@pytest.mark.parametrize("preload", ["auto", "none"])
def test_a_default_limit_does_not_count_what_code_reserves_and_leaves(sandbox: Sandbox, preload: str) -> None:
    """As libraries do for threads that may never run; a limit that a user names is kept to the byte."""
    code = """
    import mmap
    reserved = mmap.mmap(-1, 512 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    def handle(event, context):
        return len(bytearray(event))
    """
    worker = sandbox.ready(code, instanceMemoryBytes=128 << 20, memoryByDefault=True, preload=preload)
    assert sandbox.output(worker, 64 << 20) == 64 << 20
    failed = sandbox.invoke(worker, 256 << 20)
    assert failed.error == "MemoryError"


def test_the_kernel_takes_instances_before_workers(sandbox: Sandbox) -> None:
    worker = sandbox.ready("def handle(event, context):\n    return int(open('/proc/self/oom_score_adj').read())")
    pid = sandbox.broker.report("workerReady", worker=worker).pid
    with open(f"/proc/{pid}/oom_score_adj") as score:
        assert sandbox.output(worker) > int(score.read())


@pytest.mark.slow
def test_more_output_than_is_read_does_not_hold_up_the_result(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        """
        import os, sys
        def handle(event, context):
            for _ in range(200):
                print("x" * 100_000)
                print("y" * 100_000, file=sys.stderr)
            context.logger.info("z" * 1_000_000)
            return "done"
        """
    )
    sandbox.spawn(worker)
    sandbox.broker.collect_logs.clear()
    assert sandbox.send().output.bytes == b'"done"'


def test_user_code_may_replace_and_close_its_streams(sandbox: Sandbox) -> None:
    code = """
    import os, sys
    def handle(event, context):
        sys.stdout.close()
        sys.stderr = None
        os.close(1)
        os.close(2)
        return "done"
    """
    assert sandbox.output(sandbox.ready(code)) == "done"


def test_an_instance_ends_when_the_host_agent_closes_its_connection(sandbox: Sandbox) -> None:
    worker = sandbox.ready(GOOD)
    (name,) = sandbox.spawn(worker)
    with sandbox.broker.changed:
        sandbox.broker.waiting[0].connection.stream.shutdown(2)
    assert sandbox.broker.report("instanceExited", instance=name).exitCode == 69
    assert sandbox.output(worker) == "served"
