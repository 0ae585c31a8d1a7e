"""Where a cloud process is, asked of the control plane, and the connection to its host."""

from __future__ import annotations

import json
import ssl
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import quote, urlsplit

from sand.client.connection import Connection, Lost, RefusedHere
from sand.errors import SandError, refusal

CONNECT_SECONDS = 10.0
_SHOWN_BYTES = 100
_ERRORS = {401: "Sand.Denied", 403: "Sand.Denied", 404: "Sand.NotFound", 409: "Sand.Conflict"}


class Fatal(Exception):
    """No further attempt would do better; its cause is a `SandError`."""


class Place:
    """Where one process is; each connection asks anew.

    :param server: of the control plane: http://host:port
    :param token: shown to it as `Authorization: Bearer`
    :param functions: the only ones that the grant is to be for; None: any
    :param tls: for hosts that speak TLS; None: the system's certificates
    :raises ValueError: nobody can be asked so
    """

    def __init__(
        self,
        server: str,
        application: str,
        process: str,
        token: str | None,
        functions: list[str] | None,
        tls: ssl.SSLContext | None,
    ) -> None:
        if not _is_server(server):
            raise ValueError(f"the control plane is at http://host:port or https://host:port, not at {server}")
        if token is not None and not all(" " <= letter <= "~" for letter in token):  # it is not shown: it is a secret
            raise ValueError("a token has letters, digits and signs of ASCII alone, and no line's end")
        application, process = _name("an application's name", application), _name("a process's id", process)
        self._url = f"{server.rstrip('/')}/api/v1/apps/{application}/processes/{process}/connect"
        self._headers = {"Content-Type": "application/json"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        self._body = json.dumps({} if functions is None else {"functions": functions}).encode()
        self._tls = tls

    def connect(self, create: bool) -> Connection:
        """To the host that has it now, with a grant for that.

        :param create: the process is made when it is not there
        :raises Fatal: it is refused for good
        :raises Exception: another attempt may do better
        """
        url = self._url + "?create=true" if create else self._url
        asked = urllib.request.Request(url, self._body, self._headers, method="POST")
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(asked, timeout=CONNECT_SECONDS) as answer:
                place = _grant(answer.read())
        except urllib.error.HTTPError as refused:
            error = _problem(refused)
            if refused.code in (408, 429) or refused.code >= 500:
                raise Lost(str(error)) from None
            raise Fatal from error
        tls = (self._tls or ssl.create_default_context()) if place.get("tls") else None
        try:
            return Connection(place["address"], place["grant"], tls, CONNECT_SECONDS)
        except RefusedHere as here:
            if here.refused.retryable:
                raise
            raise Fatal from refusal(here.refused.error, here.refused.cause)


def _name(what: str, name: str) -> str:
    """As a part of a path. Without a name, or with one that leads elsewhere, it would be another path."""
    if name in ("", ".", ".."):
        raise ValueError(f"{what} is neither empty nor '.' nor '..', as '{name}' is")
    return quote(name, safe="")


def _is_server(server: str) -> bool:
    try:
        split = urlsplit(server)
        _ = split.port  # a ValueError, when it is none
    except ValueError:
        return False
    return split.scheme in ("http", "https") and bool(split.hostname) and all(letter > " " for letter in server)


def _grant(answer: bytes) -> dict[str, Any]:
    """:raises Lost: it is none: something between may have answered, and no longer does later"""
    try:
        place = json.loads(answer)
        _, colon, port = place["address"].rpartition(":")
        if colon and 0 <= int(port) <= 0xFFFF and place["grant"] and isinstance(place["grant"], str):
            return place
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        pass
    shown = answer[:_SHOWN_BYTES].decode(errors="replace") + ("…" if len(answer) > _SHOWN_BYTES else "")
    raise Lost(f"the control plane's answer is no grant: {shown}")


def _problem(refused: urllib.error.HTTPError) -> SandError:
    try:
        problem = json.loads(refused.read())
        detail = problem.get("detail") or problem.get("title") or str(refused)
        kind = _ERRORS.get(refused.code, "Sand.BadRequest" if refused.code < 500 else "Sand.Unavailable")
        error = problem.get("error") or kind
    except (ValueError, AttributeError):
        detail, error = str(refused), "Sand.Unavailable"
    return refusal(error, detail)
