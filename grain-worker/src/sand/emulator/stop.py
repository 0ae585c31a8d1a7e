"""What an execution is stopped with, from the body of `…/cancel`: `error` and `cause`, as the frontend's Stop reads them."""

from __future__ import annotations

from typing import Any

from sand.asl import limits
from sand.asl.diagnostics import child
from sand.emulator import bodies, problems
from sand.emulator.http import Request

MOST_BYTES = 1 << 20
WHY = "cancelled through the API"


def asked(request: Request, execution_id: str) -> tuple[str | None, str]:
    """Error and cause as `Execution.cancel` takes them."""
    expected = 'The body is a JSON object with an "error" and a "cause", or there is none.'
    body = bodies.json_object(request.body, MOST_BYTES, expected)
    if body is None:
        return None, WHY
    for name in body.keys() - {"error", "cause"}:
        detail = f'"{name}" says nothing here: an execution is stopped with "error" and "cause".'
        raise problems.bad_request(detail, pointer=child("/body", name))
    error, cause = _text(body, "error", limits.ERROR_CHARS), _text(body, "cause", limits.CAUSE_CHARS)
    if error is not None and error.startswith("Sand."):
        detail = '"error" is a name of your own: those that begin with "Sand." are the platform\'s.'
        raise problems.bad_request(detail, pointer="/body/error")
    if error is None and cause is None:
        return None, WHY
    sentence = f"execution {execution_id} was cancelled: {WHY}"
    return "Sand.Cancelled" if error is None else error, sentence if cause is None else cause


def _text(body: dict[str, Any], field: str, most: int) -> str | None:
    value = body.get(field)
    if value is not None and not isinstance(value, str):
        raise problems.bad_request(f'"{field}" is a string.', pointer=f"/body/{field}")
    if value is not None and len(value) > most:
        detail = f'"{field}" has {len(value)} characters, the limit is {most}.'
        raise problems.bad_request(detail, pointer=f"/body/{field}")
    return value
