"""Does every grain import? Run by the host agent's builder in a sandbox without a network, before a version exists.

``python3 -m sand.check FILE``: FILE is a JSON object ``{"grains": [{"grain", "entry", "path", "environment"}],
"preload": [module], "path": [folder], "compile": folder, "bytecode": folder, "importSeconds": n}``. Byte code of what is
below ``compile`` goes to ``bytecode``. Prints one JSON object a preloaded module and a grain:
``{"grain": name}`` when it is well, else with ``error``, ``cause`` and ``stackTrace``. What user code prints goes to stderr.
Each import happens in a process of its own: one that crashes, exits or hangs is reported like one that raises.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
from collections.abc import Callable
from typing import Any

from sand.failure import describe
from sand.loading import load, prepare, put_first
from sand.messages import GrainConfiguration

IMPORT_FAILED = "Sand.ImportFailed"


def main(file: str) -> None:
    with open(file, encoding="utf-8") as opened:
        request = json.load(opened)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    _compile(request["compile"], request["bytecode"])
    for module in request["preload"]:
        _answer(answers, {"preload": module}, request, lambda module=module: _preload(module, tuple(request["path"])))
    for grain in request["grains"]:
        _answer(answers, {"grain": grain["grain"]}, request, lambda grain=grain: _load(grain))


def _answer(answers: Any, subject: dict[str, str], request: dict[str, Any], import_it: Callable[[], None]) -> None:
    answers.write(json.dumps(subject | _in_child(import_it, request["importSeconds"])) + "\n")
    answers.flush()


def _compile(folder: str, bytecode: str) -> None:
    """Once, so that no sandbox compiles again; a file that does not compile is reported by its import."""
    import compileall
    import py_compile
    import re

    sys.pycache_prefix = bytecode
    dependencies = re.compile(r"/\.dependencies(/|$)")
    compileall.compile_dir(folder, quiet=2, rx=dependencies, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    sys.pycache_prefix = None


def _in_child(import_it: Callable[[], None], seconds: float) -> dict[str, str]:
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        os.setsid()
        with os.fdopen(write, "w", encoding="utf-8") as out:
            out.write(json.dumps(_outcome(import_it)))
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as answer:
        said = b""
        while select.select([answer], [], [], seconds)[0] and (piece := os.read(answer.fileno(), 65536)):
            said += piece
        hung = not select.select([answer], [], [], 0)[0]
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    _, status = os.waitpid(pid, 0)
    if hung:
        return {"error": IMPORT_FAILED, "cause": f"importing it takes longer than {seconds:g} s"}
    if not said:
        code = os.waitstatus_to_exitcode(status)
        how = f"was killed by signal {-code}" if code < 0 else f"exited with code {code}"
        return {"error": IMPORT_FAILED, "cause": f"the process that imported it {how}"}
    return json.loads(said)


def _outcome(import_it: Callable[[], None]) -> dict[str, str | None]:
    try:
        import_it()
    except BaseException as raised:
        failure = describe(raised)
        return {"error": IMPORT_FAILED, "cause": f"{failure.error}: {failure.cause}", "stackTrace": failure.stack_trace}
    return {}


def _preload(module: str, path: tuple[str, ...]) -> None:
    put_first(path)
    __import__(module)


def _load(grain: dict[str, Any]) -> None:
    configuration = GrainConfiguration(
        grain=grain["grain"],
        entry=grain["entry"],
        path=tuple(grain["path"]),
        isolation="request",
        preload="code",
        environment=grain["environment"],
        instance_memory_bytes=0,
        application="",
        version="",
        grains=(),
        max_requests=0,
    )
    prepare(configuration)
    module = grain["entry"].partition(":")[0]
    try:
        load(configuration)
    except ModuleNotFoundError as missing:
        if missing.name == module:
            folder = os.path.basename(os.path.dirname(grain["path"][0])) + "/" + os.path.basename(grain["path"][0])
            raise ModuleNotFoundError(f"there is no module {module!r} in {folder} (entry {grain['entry']!r})") from None
        raise


if __name__ == "__main__":
    main(sys.argv[1])
