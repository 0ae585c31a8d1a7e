"""Whether an application's grains import: by `sand.check`, in processes of their own, as a deployment looks at it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from sand.emulator import problems
from sand.emulator.manifest import Manifest
from sand.emulator.problems import Failure, Problem

IMPORT_SECONDS = 60


def check(manifest: Manifest) -> None:
    """:raises Problem: 422, for the first grain that does not import"""
    with tempfile.TemporaryDirectory(prefix="sand-check-") as work:
        file = Path(work) / "check.json"
        file.write_text(json.dumps(_question(manifest, work)), "utf-8")
        command = [sys.executable, "-P", "-m", "sand.check", str(file)]
        done = subprocess.run(command, capture_output=True, cwd=work, stdin=subprocess.DEVNULL, check=False)
    answers = [json.loads(line) for line in done.stdout.decode("utf-8", "replace").splitlines() if line.startswith("{")]
    for answer in answers:
        if "error" in answer:
            raise _failed(answer, str(manifest.folder))
    if done.returncode or len(answers) < len(manifest.grains) + len(manifest.preload):
        cause = f"the import check did not end well: it ended with exit code {done.returncode}"
        raise _refused(Failure("Sand.ImportFailed", cause, stack_trace=done.stderr.decode("utf-8", "replace")))


def _question(manifest: Manifest, work: str) -> dict[str, object]:
    grains = [
        {
            "grain": grain.name,
            "entry": grain.entry,
            "path": manifest.path(grain.name),
            "environment": dict(grain.environment),
        }
        for grain in manifest.grains.values()
    ]
    # Byte code is compiled for a sandbox; here it would lie in the developer's folder.
    return {
        "grains": grains,
        "preload": list(manifest.preload),
        "path": manifest.path(),
        "compile": work,
        "bytecode": work,
        "importSeconds": IMPORT_SECONDS,
    }


def _failed(answer: dict[str, str], folder: str) -> Problem:
    who = f"grain {answer['grain']}" if "grain" in answer else f"preload: module {answer['preload']}"
    cause = answer["cause"].replace(folder + "/", "")
    trace = answer.get("stackTrace")
    trace = trace and trace.replace(folder + "/", "")
    return _refused(Failure("Sand.ImportFailed", f"{who} does not import: {cause}", stack_trace=trace))


def _refused(failure: Failure) -> Problem:
    problem = problems.of(failure, None)
    problem.status = 422
    return problem
