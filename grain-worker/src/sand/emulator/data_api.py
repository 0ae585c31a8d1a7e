"""`/api/v1/applications/{app}/data`: what grains share as `context.data`, as the frontend's DataApi has it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from sand.asl import document as documents
from sand.emulator import bodies, entity_tags, problems
from sand.emulator.applications import Application, Applications
from sand.emulator.data import VALUE_BYTES as MOST_BYTES
from sand.emulator.http import Request, Response, answer_json
from sand.emulator.objects import KEY_BYTES
from sand.emulator.problems import Problem
from sand.emulator.router import Router
from sand.errors import BadRequest, Conflict
from sand.messages import DataDeleteRequest, DataListRequest, DataPutRequest, Payload
from sand.values import JSON

VALUE_BYTES = 4 << 20
_OWNER = "data"
_MEDIA_TYPE = re.compile(r"[!-~][ -~]{0,126}")
Found = TypeVar("Found")


class DataApi:
    def __init__(self, applications: Applications) -> None:
        self._applications = applications

    def add_to(self, router: Router) -> None:
        at = "/api/v1/applications/{app}/data"
        one = at + "/value"
        router.add("GET", at, self._list).add("GET", one, self._get)
        router.add("PUT", one, self._put).add("DELETE", one, self._delete)

    def _application(self, request: Request) -> Application:
        return self._applications.get(request.parameters["app"])

    def _list(self, request: Request) -> Response:
        data, limit = self._application(request).data, request.number("limit", 100, 1, 1000, is_placed=False)
        asked = DataListRequest(request.query("prefix") or "", request.query("after"), limit)
        found = _told(lambda: data.call("dataList", asked, _OWNER))
        return answer_json(200, {"keys": list(found.keys), "next": found.keys[-1] if found.more else None})

    def _get(self, request: Request) -> Response:
        most = request.number("most", VALUE_BYTES, 0, MOST_BYTES, is_placed=False)
        application, key = self._application(request), _key(request)
        found = application.data.value(key)
        if found is None:
            raise _unknown(application, key)
        tag, content = ("ETag", f'"{found.version}"'), found.value.bytes or b""
        if len(content) > most:
            detail = f"The value has {len(content)} bytes, and {most} are the most that were asked for; 'most' may be up to"
            more = {"limit": most, "actual": len(content), "contentType": found.value.content_type}
            problem = Problem(413, "value-too-large", "Too large a value", f"{detail} {MOST_BYTES}.", **more)
            problem.headers["ETag"] = tag[1]
            raise problem
        return Response(200, content, found.value.content_type, [tag])

    def _put(self, request: Request) -> Response:
        application, key = self._application(request), _key(request)
        if len(request.body) > VALUE_BYTES:
            raise problems.too_large("A value", VALUE_BYTES, len(request.body))
        kind = request.header("Content-Type")
        payload = Payload(JSON if kind is None else kind, request.body)
        if not _MEDIA_TYPE.fullmatch(payload.content_type):
            raise problems.bad_request("A Content-Type has at most 127 printable ASCII characters.")
        if payload.content_type.startswith(JSON):
            _check_json(request.body)
        elif fault := bodies.check(payload.content_type, request.body):
            raise fault
        asked = DataPutRequest(key, payload, entity_tags.expected(request))
        version = self._changed(application, key, lambda: application.data.call("dataPut", asked, _OWNER))
        return answer_json(200, {"version": version}, [("ETag", f'"{version}"')])

    def _delete(self, request: Request) -> Response:
        application, key = self._application(request), _key(request)
        asked = DataDeleteRequest(key, entity_tags.expected(request))
        if not self._changed(application, key, lambda: application.data.call("dataDelete", asked, _OWNER)):
            raise _unknown(application, key)
        return Response(204)

    @staticmethod
    def _changed(application: Application, key: str, change: Callable[[], Found]) -> Found:
        try:
            return _told(change)
        except Conflict:
            found = application.data.value(key)
            actual = 0 if found is None else found.version
            detail = f"The value has version {actual} by now." if actual else "There is no value of this key."
            raise Problem(412, "version-conflict", "Another version", detail, actual=actual) from None


def _told(ask: Callable[[], Found]) -> Found:
    try:
        return ask()
    except BadRequest as refused:
        raise problems.bad_request(str(refused)) from None


def _key(request: Request) -> str:
    key = request.query("key") or ""
    if not 1 <= len(key.encode("utf-8", "replace")) <= KEY_BYTES:
        raise problems.bad_request(f"Query parameter 'key' has 1 to {KEY_BYTES} bytes in UTF-8.")
    return key


def _check_json(body: bytes) -> None:
    """What grains would be given, and could not decode, is not kept."""
    try:
        documents.parse(body.decode("utf-8"))
    except (documents.NoJson, UnicodeDecodeError):
        raise problems.bad_request("The value is no JSON: give its Content-Type if it is something else.") from None


def _unknown(application: Application, key: str) -> Problem:
    return Problem(404, "unknown-key", "Unknown key", f"Application '{application.name}' has no data under '{key}'.")
