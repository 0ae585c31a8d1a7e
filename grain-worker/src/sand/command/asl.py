"""`sand asl`: executions of a definition in memory, in virtual time, and a definition's mistakes. No platform is needed."""

import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any, Protocol

import click

from sand.asl import Machine, Refused, document, quotas, reading, stub_check
from sand.asl.diagnostics import Diagnostic
from sand.command import cases
from sand.command.cases import AWS, PLATFORM
from sand.command.failure import ExitCode, Failure
from sand.command.program import class_path, find_java, other_jars

JAVA_CLASS = "dev.sand.workflow.trial.AslCommand"
PROTOCOL = 1
"""Of cases and results, as AslCommand.java has it: counted up whenever older jars would misread what is sent."""
_NO_SUCH_ARGUMENTS, _OTHER_PROTOCOL = 2, 3
"""Exit codes of the Java side: of jars from before there was a protocol, and of those that speak another."""
_REFUSED: dict[str, dict[str, Any]] = {"validate": {"valid": False}, "run": {"status": "INVALID"}}
FILE = click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True)


class Engine(Protocol):
    """What runs or validates a case: {"id", "definition" (an object or its text), "input", "inputText", "grains", "limits"};
    inputText is what the input was read from, or None; limits those of AWS, unless it says "platform"."""

    def run(self, case: dict[str, Any]) -> dict[str, Any]: ...


class _Python:
    """This process."""

    def __init__(self, word: str) -> None:
        self._word = word

    def run(self, case: dict[str, Any]) -> dict[str, Any]:
        """A case that the engine itself fails at costs the others nothing."""
        named = {"id": case["id"]} if "id" in case else {}
        try:
            return self._run(case, named)
        except Exception as e:
            traceback.print_exc()
            said = f"The engine itself failed at this case: {type(e).__name__}: {e}."
            return {**named, **_REFUSED[self._word], "diagnostics": _diagnostics([Diagnostic("", "ENGINE_FAULT", said)])}

    def _run(self, case: dict[str, Any], named: dict[str, Any]) -> dict[str, Any]:
        definition = case.get("definition")
        text = definition if isinstance(definition, str) else document.write(definition)
        if self._word == "validate":
            _, found = reading.read(text)
            return {**named, "valid": not found, "diagnostics": _diagnostics(found)}
        try:
            machine = Machine(text)
        except Refused as refused:
            return {**named, "status": "INVALID", "diagnostics": _diagnostics(refused.diagnostics)}
        id, redrives = _execution_id(case.get("id")), case.get("redrives", 0)
        begins = {"redrives": redrives, "redrive_from": case.get("redriveFrom"), "input_text": case.get("inputText")}
        begins["quotas"] = quotas.NONE if case.get("limits") == PLATFORM else quotas.AWS
        outcome = machine.run(case.get("input", {}), case.get("grains"), id=id, **begins)
        return {**named, **outcome.document()}


def _execution_id(id: Any) -> str:
    """What the execution of a case is called."""
    return "trial" if id is None else id if isinstance(id, str) else document.write(id)


class _Java:
    """One Java process for all cases; ended by `close`."""

    def __init__(self, word: str) -> None:
        java = find_java()
        if java is None:
            raise Failure(ExitCode.PLATFORM_FAILED, "there is no Java here", ("Use --engine python, which needs none.",))
        options = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", class_path())
        command = [str(java), *options, JAVA_CLASS, word, str(PROTOCOL)]
        # What it says besides is only read when it dies.
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the process
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said, text=True, encoding="utf-8"
        )

    def run(self, case: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(document.write(case) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            code = self._process.wait()
            self._said.seek(0)
            told = self._said.read().decode(errors="replace").strip().splitlines()
            if code in (_NO_SUCH_ARGUMENTS, _OTHER_PROTOCOL):
                is_newer = bool(told) and told[-1].isdecimal() and int(told[-1]) > PROTOCOL
                raise other_jars(is_newer)
            raise Failure(ExitCode.PLATFORM_FAILED, "the Java engine ended in the middle of a case", tuple(told[-5:]))
        result: dict[str, Any] = document.parse(answer, levels=cases.LEVELS)
        return {"id": case["id"], **result} if "id" in case else result

    def close(self) -> None:
        self._process.communicate()
        self._said.close()


def _diagnostics(found: Any) -> list[dict[str, str]]:
    return [{"pointer": one.pointer, "code": one.code, "message": one.message} for one in found]


@click.group("asl", short_help="Run and check a definition in the Amazon States Language.")
def asl_command() -> None:
    """Run a workflow's definition in memory, with stubs for its grains and virtual time, or check it. No platform is needed.

    \b
    Examples:
      sand asl run --definition workflows/main.asl.json --input input.json --grains stubs.json
      sand asl validate workflows/main.asl.json
      sand asl run --batch < cases.jsonl
    """


_engine = click.option("--engine", type=click.Choice(["python", "java"]), default="python", show_default=True)
_batch = click.option("--batch", is_flag=True, help="Read cases from stdin, one a line, and write a result a line.")


@asl_command.command("run", short_help="Run one execution in memory.")
@click.option("--definition", type=FILE, help="The state machine.")
@click.option("--input", "input_", type=FILE, help="The execution's input; {} when not given.")
@click.option("--grains", type=FILE, help="What stands in for grains, by resource or its last part; others echo.")
@click.option(
    "--limits",
    "limits_",
    type=click.Choice([AWS, PLATFORM]),
    default=AWS,
    show_default=True,
    help="Whose limits the data of tasks and states, and the history, are held to: 256 KiB and 25,000 events on AWS.",
)
@_engine
@_batch
def run(definition: Path | None, input_: Path | None, grains: Path | None, limits_: str, engine: str, batch: bool) -> None:
    """Run one execution and print {"status", "output", "error", "cause"}; the exit code is 0 however it ends.

    A stub is {"echo": true}, {"return": JSON}, {"raise": {"error", "cause"}} or a list of such, one a call; with "seconds", how
    long a call takes. The content of the object that an ItemReader reads is what the stub of its resource
    (s3:getObject, sand:object:get) returns: a string is the text, anything else the JSON in it; s3:listObjectsV2
    (sand:object:list) returns the list. What a ResultWriter writes is printed as "objects", by key. With --batch, a line is
    {"id", "definition", "input", "grains", "redrives", "redriveFrom"}, the last two how often an execution that fails is
    redriven at once, and from which state, when not from the one that failed.
    """
    if batch:
        _each_line("run", engine, {"limits": limits_})
        return
    if definition is None:
        raise click.UsageError("Missing option '--definition' (or --batch).")
    given, input_text = ({}, None) if input_ is None else _parsed(input_)
    text = _definition("run", definition)
    if text is None:
        return
    case = {"definition": text, "input": given, "inputText": input_text, "limits": limits_}
    if grains is not None:
        stubs = _stubs(grains)
        for name in cases.unmatched(case["definition"], stubs):
            _warn(f"{grains}: no task of the definition asks for the stub {name}")
        case["definition"], case["grains"] = cases.stubbed(case["definition"], stubs)
    _print(_one("run", engine, case))


@asl_command.command("validate", short_help="Check a definition.")
@click.argument("file", type=FILE, required=False)
@_engine
@_batch
def validate(file: Path | None, engine: str, batch: bool) -> None:
    """Check the definition in FILE and print {"valid", "diagnostics": [{"pointer", "code", "message"}]}, all mistakes at once.

    The exit code is 4 when there is one. With --batch, a line is {"id", "definition"}, and the exit code 0.
    """
    if batch:
        _each_line("validate", engine, {})
        return
    if file is None:
        raise click.UsageError("Missing argument 'FILE' (or --batch).")
    text = _definition("validate", file)
    result = None if text is None else _one("validate", engine, {"definition": text})
    if result is not None:
        _print(result)
    if result is None or not result["valid"]:
        raise click.exceptions.Exit(ExitCode.REFUSED)


def _one(word: str, engine: str, case: dict[str, Any]) -> dict[str, Any]:
    runner = _Java(word) if engine == "java" else _Python(word)
    try:
        return runner.run(case)
    finally:
        if isinstance(runner, _Java):
            runner.close()


def _each_line(word: str, engine: str, otherwise: dict[str, Any]) -> None:
    """otherwise: members of cases that have none of their own."""
    runner = _Java(word) if engine == "java" else _Python(word)
    try:
        refusal = _REFUSED[word]
        for case, faults in cases.read(sys.stdin.buffer, _warn):
            _print({**case, **refusal, "diagnostics": _diagnostics(faults)} if faults else runner.run(otherwise | case))
    finally:
        if isinstance(runner, _Java):
            runner.close()


def _text(file: Path) -> str:
    """Raises NoJson."""
    return document.decoded(sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes())


def _definition(word: str, file: Path) -> str | None:
    """None: what is wrong with its text has been printed."""
    try:
        return _text(file)
    except document.NoJson as e:
        found = Diagnostic("", "INVALID_JSON", f"The definition is no JSON: {e}.")
        _print({**_REFUSED[word], "diagnostics": _diagnostics([found])})
        return None


def _stubs(file: Path) -> Any:
    stubs, _ = _parsed(file)
    if faults := stub_check.faults(stubs):
        said = tuple(f"{found.pointer}: {found.message}" for found in faults)
        raise Failure(ExitCode.USAGE, f"{file} has stubs that cannot be used", said)
    for pointer, name in stub_check.unknown(stubs):
        _warn(f"{file}: the member {name} of a stub has no effect ({pointer})")
    return stubs


def _warn(what: str) -> None:
    print(f"sand: {what}", file=sys.stderr)


def _parsed(file: Path) -> tuple[Any, str]:
    """And its text."""
    try:
        text = _text(file)
        return document.parse(text), text
    except document.NoJson as e:
        raise Failure(ExitCode.USAGE, f"{file} is no JSON: {e}") from None


def _print(result: dict[str, Any]) -> None:
    sys.stdout.buffer.write((document.write(result) + "\n").encode("utf-8", "replace"))
    sys.stdout.buffer.flush()
