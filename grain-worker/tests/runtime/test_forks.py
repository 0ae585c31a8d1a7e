"""The traps of fork (DESIGN, decision 4): processes that multiply, detach or outlive, generators that repeat."""

from __future__ import annotations

import json
import os
import signal

import pytest
from broker_data import sand
from sandbox import Sandbox, alive

DETACH = """
import os, signal, time

def detached():
    '''A double-forked grandchild in a session of its own, which ignores what it can and holds all descriptors.'''
    read, write = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.write(write, str(os.getpid()).encode())
            time.sleep(60)
        os._exit(0)
    os.wait()
    return int(os.read(read, 20))
"""


def test_a_detached_grandchild_does_not_outlive_its_instance(sandbox: Sandbox) -> None:
    worker = sandbox.ready(DETACH + "\ndef handle(event, context):\n    return [detached(), detached()]")
    (name,) = sandbox.spawn(worker)
    pids = json.loads(sandbox.send().output.bytes)
    ended = sandbox.broker.report("instanceExited", instance=name)
    assert ended.note == "2 processes that it had detached and left behind were killed"
    sandbox.broker.until(lambda: name in sandbox.broker.closed, "its connection closed, which they held")
    sandbox.broker.until(lambda: not any(map(alive, pids)), "their end")


def test_a_killed_instance_takes_its_group_and_its_detached_ones_along(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        DETACH
        + """
def handle(event, context):
    child = os.fork()
    if child == 0:
        time.sleep(60)
        os._exit(0)
    print(detached(), child, flush=True)
    time.sleep(100)
"""
    )
    (name,) = sandbox.spawn(worker)
    sandbox.broker.hand(sandbox.event())
    pids = [int(pid) for pid in sandbox.broker.until(lambda: sandbox.broker.log(name), "pids").split()]
    assert all(map(alive, pids))
    sandbox.kill(sandbox.pid(name))
    assert sandbox.broker.report("instanceExited", instance=name).signal == signal.SIGKILL
    sandbox.broker.until(lambda: not any(map(alive, pids)), "their end")


def test_nothing_outlives_a_killed_worker(sandbox: Sandbox) -> None:
    worker = sandbox.ready(DETACH + "\ndef handle(event, context):\n    print(detached(), flush=True)\n    time.sleep(100)")
    (name,) = sandbox.spawn(worker)
    sandbox.broker.hand(sandbox.event())
    pid = int(sandbox.broker.until(lambda: sandbox.broker.log(name), "pid"))
    sandbox.kill(sandbox.broker.report("workerReady", worker=worker).pid)
    sandbox.broker.report("workerExited", worker=worker)
    sandbox.broker.until(lambda: not alive(pid) and not alive(sandbox.pid(name)), "their end")
    assert sandbox.process.poll() is None


def test_only_the_instance_answers_when_copies_of_it_come_back(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        """
        import os
        def handle(event, context):
            for _ in range(3):
                os.fork()
            if os.getpid() % 2:
                raise ValueError("odd")
            return "even"
        """
    )
    (name,) = sandbox.spawn(worker)
    sandbox.send()
    sandbox.broker.report("instanceExited", instance=name)
    sandbox.broker.until(lambda: name in sandbox.broker.closed, "all copies gone")
    assert len(sandbox.broker.finished) + len(sandbox.broker.failed) == 1


def test_the_context_is_not_for_forked_children(sandbox: Sandbox) -> None:
    code = """
    import os
    def handle(event, context):
        read, write = os.pipe()
        if os.fork() == 0:
            try:
                context.data.get("k")
            except Exception as refused:
                os.write(write, str(refused).encode())
            os._exit(0)
        return os.read(read, 1000).decode()
    """
    assert "context belongs to process" in sandbox.output(sandbox.ready(code))


def test_a_fork_bomb_is_over_with_its_instance(sandbox: Sandbox) -> None:
    """84 processes in sessions of their own, as many as this machine can well bear; a sandbox has its limit of pids."""
    worker = sandbox.ready(
        """
        import os, time
        def bomb(depth):
            for _ in range(4):
                if depth and os.fork() == 0:
                    os.setsid()
                    bomb(depth - 1)
                    time.sleep(60)
                    os._exit(0)
        def handle(event, context):
            bomb(3)
            raise BlockingIOError(11, "Resource temporarily unavailable")
        """
    )
    (name,) = sandbox.spawn(worker)
    assert sandbox.send().error == "BlockingIOError"
    sandbox.broker.report("instanceExited", instance=name)
    sandbox.broker.until(lambda: name in sandbox.broker.closed, "the end of all")
    assert isinstance(sandbox.invoke(worker), sand.FailRequest)


def test_the_supervisor_leaves_nothing_behind_when_it_ends(sandbox: Sandbox) -> None:
    worker = sandbox.ready(DETACH + "\ndef handle(event, context):\n    print(detached(), flush=True)\n    time.sleep(60)")
    (name,) = sandbox.spawn(worker)
    sandbox.broker.hand(sandbox.event())
    pid = int(sandbox.broker.until(lambda: sandbox.broker.log(name), "pid"))
    sandbox.process.terminate()
    assert sandbox.process.wait(10) == 0
    assert not alive(pid)


@pytest.mark.parametrize(
    "draw",
    [
        "random.random()", "own.random()", "numpy.random.random()", "numpy.random.rand()", "legacy.random()", "rng.random()",
    ],
)  # fmt: skip
def test_generators_do_not_repeat(sandbox: Sandbox, draw: str) -> None:
    worker = sandbox.ready(
        f"""
        import random
        import numpy
        own = random.Random()
        legacy = numpy.random.RandomState()
        rng = numpy.random.default_rng()
        def handle(event, context):
            return float({draw})
        """
    )
    sandbox.spawn(worker, 4)
    drawn = [json.loads(sandbox.send().output.bytes) for _ in range(4)]
    assert len(set(drawn)) == 4


def test_a_seed_that_the_grain_chose_is_kept(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        """
        import numpy
        rng = numpy.random.default_rng(42)
        def handle(event, context):
            return rng.random()
        """
    )
    assert sandbox.output(worker) == sandbox.output(worker)


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("import threading, time\nthreading.Thread(target=time.sleep, args=(1000,), daemon=True).start()", "1 thread"),
        ("import socket\nkept = socket.socketpair()", "2 open sockets"),
        ("import select\nkept = select.epoll()", "an event loop"),
    ],
)
def test_an_import_that_leaves_threads_or_sockets_is_done_in_each_instance(sandbox: Sandbox, code: str, what: str) -> None:
    code += "\nimport os\npid = os.getpid()\ndef handle(event, context):\n    return pid == os.getpid()"
    worker = sandbox.ready(code)
    note = sandbox.broker.report("workerReady", worker=worker).note
    assert note == f"imported in each instance: the import leaves {what}, which a fork would break"
    assert sandbox.output(worker) is True
    forced = sandbox.ready(code, preload="code")
    assert what in sandbox.broker.report("workerReady", worker=forced).note
    assert sandbox.output(forced) is False


def test_preload_none_imports_in_each_instance(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        "import os\npid = os.getpid()\ndef handle(event, context):\n    return pid == os.getpid()", preload="none"
    )
    assert sandbox.broker.report("workerReady", worker=worker).note is None
    assert sandbox.output(worker) is True


def test_numpy_is_loaded_once_for_all(sandbox: Sandbox) -> None:
    """Its threads stop themselves before a fork, so they are no reason to import it in each instance."""
    worker = sandbox.ready("import numpy, os\npid = os.getpid()\ndef handle(event, context):\n    return pid == os.getpid()")
    assert sandbox.broker.report("workerReady", worker=worker).note is None
    assert sandbox.output(worker) is False


def test_an_import_that_fails_only_in_an_instance_is_noted(sandbox: Sandbox) -> None:
    marker = sandbox.broker.directory / "imported-once"
    code = f"""
    import os
    try:
        os.mkdir({str(marker)!r})
    except FileExistsError:
        raise RuntimeError("imported twice")
    def handle(event, context):
        pass
    """
    worker = sandbox.ready(code, preload="none")
    sandbox.broker.command(worker, spawn=sand.SpawnCommand(instances=["late"]))
    ended = sandbox.broker.report("instanceExited", instance="late")
    assert (ended.exitCode, ended.note) == (78, "its code did not import: RuntimeError: imported twice")


def test_an_instance_holds_no_descriptor_of_its_worker(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        """
        import os
        def handle(event, context):
            found = {}
            for fd in os.listdir("/proc/self/fd"):
                try:
                    found[fd] = os.readlink("/proc/self/fd/" + fd).partition(":")[0]
                except OSError:
                    pass
            return found
        """
    )
    sandbox.spawn(worker, 2)
    found = json.loads(sandbox.send().output.bytes)
    assert sorted(found.values()) == ["/dev/null", "socket", "socket", "socket"]


def test_signals_of_an_instance_are_its_own(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        """
        import os, signal, subprocess
        def handle(event, context):
            assert os.getsid(0) == os.getpgid(0) == os.getpid()
            assert signal.getsignal(signal.SIGCHLD) == signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
            assert signal.getsignal(signal.SIGINT) == signal.default_int_handler
            return subprocess.run(["cat"], capture_output=True, check=True).stdout.decode()
        """
    )
    assert sandbox.output(worker) == ""


def test_temporary_files_go_with_their_instance(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        """
        import os, tempfile
        early = tempfile.gettempdir()
        def handle(event, context):
            folder = tempfile.mkdtemp()
            os.symlink("/etc", folder + "/link")
            open(folder + "/file", "w").close()
            return [early, tempfile.gettempdir(), folder]
        """
    )
    (name,) = sandbox.spawn(worker)
    early, own, folder = json.loads(sandbox.send().output.bytes)
    assert own == f"{sandbox.temporary}/sand-{worker}/{name}" != early
    assert folder.startswith(own)
    sandbox.broker.report("instanceExited", instance=name)
    sandbox.broker.until(lambda: not os.path.exists(own), "its removal")
    sandbox.kill(sandbox.broker.report("workerReady", worker=worker).pid)
    sandbox.broker.report("workerExited", worker=worker)
    sandbox.broker.until(lambda: os.listdir(sandbox.temporary) == [], "the removal of the worker's folder")


def test_what_a_function_has_freed_is_not_faulted_on_again(sandbox: Sandbox) -> None:
    code = """
import resource

def values():
    return [bytearray(64 << 10) for _ in range(24)]

def handle(event, context):
    values()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(100):
        values()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
"""
    assert sandbox.output(sandbox.ready(code)) < 100, "it was 300 each time"
