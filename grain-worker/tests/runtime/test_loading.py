"""What a grain's code may look like, and how code that does not load is reported."""

from __future__ import annotations

import signal

import pytest
from broker_data import sand
from sandbox import TOKEN, Sandbox


def refused(sandbox: Sandbox, code: str, **configuration: object) -> sand.WorkerFailedReport:
    worker = sandbox.start(code, **configuration)
    report = sandbox.broker.report("workerFailed", worker=worker)
    sandbox.broker.report("workerExited", worker=worker)
    assert len([one for one in sandbox.broker.reports if one.workerFailed]) == 1
    return report


@pytest.mark.parametrize("preload", ["auto", "none", "code"])
def test_an_import_that_fails_is_reported_with_its_traceback(sandbox: Sandbox, preload: str) -> None:
    report = refused(sandbox, "def broken():\n    import does_not_exist\nbroken()", preload=preload)
    assert (report.error, report.cause) == ("ModuleNotFoundError", "No module named 'does_not_exist'")
    assert "in broken" in report.stackTrace
    assert "importlib" not in report.stackTrace
    assert "loading.py" not in report.stackTrace


def test_a_syntax_error_shows_the_line(sandbox: Sandbox) -> None:
    report = refused(sandbox, "def handle(event, context)\n    pass")
    assert report.error == "SyntaxError"
    assert "def handle(event, context)" in report.stackTrace
    assert 'File "/' not in report.stackTrace


@pytest.mark.parametrize(
    ("code", "configuration", "error", "cause"),
    [
        ("async def handle(event, context): pass", {}, "TypeError", "is 'async def'"),
        ("async def handle(event, context): yield", {}, "TypeError", "is 'async def'"),
        ("def other(event, context): pass", {}, "AttributeError", "has no function handle"),
        ("handle = 3", {}, "TypeError", "is a int, not a function"),
        ("def handle(event): pass", {}, "TypeError", "takes 1 arguments; a handler takes two"),
        ("def handle(event, context, more): pass", {}, "TypeError", "takes 3 arguments"),
        ("", {"entry": "handler"}, "ValueError", "not of the form module:function"),
        ("", {"entry": "missing:handle"}, "ModuleNotFoundError", "No module named 'missing'"),
        ("", {"entry": "json:loads"}, "ImportError", "another module has the name json"),
    ],
)
def test_a_handler_that_could_never_run_is_refused(
    sandbox: Sandbox, code: str, configuration: dict[str, str], error: str, cause: str
) -> None:
    report = refused(sandbox, code, **configuration)
    assert report.error == error
    assert cause in report.cause


def test_a_worker_that_is_killed_while_it_imports_says_nothing_of_its_code(sandbox: Sandbox) -> None:
    # The kernel, short of memory, or another grain's process sent that; it is started again, and what waits for it waits on.
    worker = sandbox.start("import os\nos.kill(os.getpid(), 9)")
    assert sandbox.broker.report("workerExited", worker=worker).signal == signal.SIGKILL
    assert not any(report.workerFailed for report in sandbox.broker.reports)


@pytest.mark.parametrize("preload", ["auto", "none"])
@pytest.mark.parametrize(("code", "how"), [("os._exit(3)", "exit code 3"), ("os.kill(os.getpid(), 11)", "SIGSEGV")])
def test_an_import_that_ends_the_process(sandbox: Sandbox, code: str, how: str, preload: str) -> None:
    report = refused(sandbox, f"import os\n{code}", preload=preload)
    assert report.error == "Sand.Crashed"
    assert how in report.cause


def test_exit_in_an_import_is_a_failure_too(sandbox: Sandbox) -> None:
    assert refused(sandbox, "import sys\nsys.exit(2)").error == "SystemExit"


def test_a_limit_below_what_the_code_needs_is_said_at_once(sandbox: Sandbox) -> None:
    report = refused(sandbox, "kept = bytearray(64 << 20)\ndef handle(event, context): pass", instanceMemoryBytes=48 << 20)
    assert report.error == "MemoryError"
    assert "memory limit of an instance is 48 MiB" in report.cause


@pytest.mark.parametrize(
    "code",
    [
        "def handle(event, context=None): return 'yes'",
        "def handle(*args): return 'yes'",
        "handle = lambda event, context: 'yes'",
        "class H:\n    def __call__(self, event, context): return 'yes'\nhandle = H()",
        "class H:\n    def run(self, event, context): return 'yes'\nh = H()\nhandle = h.run",
        "import functools\ndef f(x, event, context): return x\nhandle = functools.partial(f, 'yes')",
    ],
)
def test_whatever_takes_event_and_context_is_a_handler(sandbox: Sandbox, code: str) -> None:
    assert sandbox.output(sandbox.ready(code)) == "yes"


def test_an_entry_names_module_and_function(sandbox: Sandbox) -> None:
    sandbox.write("grains/main/package/deep.py", "class A:\n    @staticmethod\n    def run(event, context): return 'deep'")
    assert sandbox.output(sandbox.ready("", entry="package.deep:A.run")) == "deep"


def test_the_grains_folder_comes_first_and_is_the_current_one(sandbox: Sandbox) -> None:
    sandbox.write(".dependencies/shared_by_all.py", "where = 'dependencies'")
    sandbox.write("lib/own.py", "where = 'lib'")
    sandbox.write("grains/main/shared_by_all.py", "where = 'grain'")
    sandbox.write("grains/main/data.txt", "content")
    code = """
    import os
    import own, shared_by_all
    text = open("data.txt").read()
    def handle(event, context):
        return [own.where, shared_by_all.where, text, os.environ["COLOUR"], context.env]
    """
    path = [f"{sandbox.app}/{folder}" for folder in ("grains/main", ".dependencies", "lib")]
    worker = sandbox.ready(code, path=path, environment={"COLOUR": "blue"})
    assert sandbox.output(worker) == ["lib", "grain", "content", "blue", {"COLOUR": "blue"}]


def test_grains_with_the_same_module_names_do_not_meet(sandbox: Sandbox) -> None:
    workers = [sandbox.ready(f"def handle(event, context): return {grain!r}", grain=grain) for grain in ("main", "other")]
    assert [sandbox.output(worker) for worker in workers] == ["main", "other"]


def test_the_output_of_an_import_is_the_workers(sandbox: Sandbox) -> None:
    worker = sandbox.ready("print('loading')\ndef handle(event, context): pass")
    sandbox.broker.until(lambda: sandbox.broker.log(worker) == "loading\n", "its output")


def test_shared_libraries_are_imported_once_by_the_supervisor(blank: Sandbox) -> None:
    blank.write("lib/heavy.py", "import os\npid = os.getpid()")
    blank.claim(preload=["heavy"], path=[f"{blank.app}/lib"])
    code = "import heavy\ndef handle(event, context): return heavy.pid"
    assert {blank.output(blank.ready(code, grain=grain)) for grain in ("main", "other")} == {blank.process.pid}


def test_a_preload_that_fails_fails_every_worker(blank: Sandbox) -> None:
    blank.claim(preload=["does_not_exist"])
    report = blank.broker.report("workerFailed", worker=blank.start("def handle(event, context): pass"))
    assert report.error == "ModuleNotFoundError"
    assert report.cause == "preload of the application: No module named 'does_not_exist'"


def test_a_worker_that_is_stopped_while_it_imports_has_not_failed(sandbox: Sandbox) -> None:
    stays = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('importing', flush=True)\ntime.sleep(60)"
    worker = sandbox.start(stays)
    sandbox.broker.until(lambda: sandbox.broker.log(worker), "its import")
    sandbox.broker.command(TOKEN, stop=sand.StopCommand(worker=worker))
    assert sandbox.broker.report("workerExited", worker=worker).signal == signal.SIGKILL
    assert not any(report.workerFailed for report in sandbox.broker.reports)
