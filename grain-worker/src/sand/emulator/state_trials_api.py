"""`/api/v1/asl/test-state`: one state tried by itself, as the frontend's StateTrialsApi has it."""

from __future__ import annotations

from typing import Any

from sand.asl import document as documents
from sand.asl import state_trial
from sand.emulator import bodies, problems
from sand.emulator.http import Request, Response
from sand.emulator.router import Router
from sand.values import JSON

MOST_BYTES = 4 << 20
_EXPECTED = 'The body is a JSON object with "definition" (an object) and "state" (its name).'


def add_to(router: Router) -> None:
    router.add("POST", "/api/v1/asl/test-state", _test)


def _test(request: Request) -> Response:
    body = bodies.json_object(request.body, MOST_BYTES, _EXPECTED, pointer=None)
    if body is None or not isinstance(body.get("definition"), dict) or not isinstance(body.get("state"), str):
        raise problems.bad_request(_EXPECTED)
    for field in ("variables", "grains"):
        if not isinstance(body.get(field), dict | None):
            raise problems.bad_request(f'"{field}" is an object.')
    found = state_trial.run(body["definition"], body["state"], body.get("input", {}), body.get("variables"), body.get("grains"))
    if found is None:
        raise problems.bad_request(f'The definition has no state "{body["state"]}".')
    return Response(200, documents.write(_shown(found)).encode("utf-8", "replace"), JSON)


def _shown(found: state_trial.Tried | list[Any]) -> dict[str, Any]:
    if isinstance(found, state_trial.Tried):
        return found.document()
    told = [{"pointer": one.pointer, "code": one.code, "message": one.message} for one in found]
    return {"status": "INVALID", "diagnostics": told}
