"""What ends the command other than well, and with which exit code."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any


class ExitCode(IntEnum):
    """Stable: scripts depend on them."""

    OK = 0
    GRAIN_FAILED = 1
    USAGE = 2
    NOT_FOUND = 3
    REFUSED = 4
    CONFLICT = 5
    THROTTLED = 6
    TIMED_OUT = 7
    PLATFORM_FAILED = 70


@dataclass
class Failure(Exception):  # not frozen: raising sets the traceback on it
    """Ends the command: one line, more lines when there are any, and the exit code."""

    code: ExitCode
    title: str
    lines: tuple[str, ...] = ()
    problem: Mapping[str, Any] = field(default_factory=dict)
    as_json: bool = False  # whoever reads stdout wants the problem there, whole

    def document(self) -> dict[str, Any]:
        """The platform's problem, or one in its form for what went wrong on this side."""
        return dict(self.problem) or {"title": self.title, "detail": "\n".join(self.lines) or self.title}


_BY_STATUS = {
    404: ExitCode.NOT_FOUND,
    408: ExitCode.TIMED_OUT,
    409: ExitCode.CONFLICT,
    412: ExitCode.CONFLICT,
    429: ExitCode.THROTTLED,
    504: ExitCode.TIMED_OUT,
}
_SHOWN = {"type", "title", "status", "detail", "instance", "source", "retryable", "stackTrace", "error", "errors"}


def exit_code(status: int, problem: Mapping[str, Any]) -> ExitCode:
    """What a problem's status and source mean to a script."""
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if problem.get("source") == "grain":
        return ExitCode.GRAIN_FAILED
    return ExitCode.REFUSED if 400 <= status < 500 else ExitCode.PLATFORM_FAILED


def of_problem(status: int, problem: Mapping[str, Any]) -> Failure:
    """A problem+json answer (RFC 9457) as the command tells it: the sentence, then what else it carries."""
    title = problem.get("detail") or problem.get("title") or f"the platform answered {status}"
    if problem.get("error") and not str(title).startswith(str(problem["error"])):
        title = f"{problem['error']}: {title}"
    findings = _findings(problem.get("errors"))
    if findings:
        title = problem.get("title") or title  # its detail is the first of them
    lines = findings + [f"{name}: {_plain(value)}" for name, value in problem.items() if name not in _SHOWN]
    if problem.get("stackTrace"):
        lines.append(str(problem["stackTrace"]).rstrip())
    if problem.get("retryable"):
        lines.append("The same request may work later.")
    return Failure(exit_code(status, problem), str(title), tuple(lines), problem)


def _findings(errors: Any) -> list[str]:
    """A line a finding: the file with the JSON Pointer into it, and what is wrong there."""
    if not isinstance(errors, list):
        return []
    lines = []
    for error in errors:
        if not isinstance(error, Mapping):
            lines.append(str(error))
            continue
        pointer = error.get("pointer")
        place = f"{error.get('file') or ''}{f'#{pointer}' if pointer else ''}"
        lines.append(": ".join(part for part in (place, str(error.get("detail") or "").rstrip()) if part))
    return lines


def _plain(value: Any) -> str:
    """Text as it is, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
