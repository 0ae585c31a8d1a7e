"""Who may come in: programs of this machine, and no web page of another site. The rules are the frontend's (`OpenDoor`)."""

from __future__ import annotations

import ipaddress

from sand.emulator import problems
from sand.emulator.http import Request
from sand.emulator.problems import Problem

_PUBLIC = ("/livez", "/readyz", "/openapi.yaml")


def refusal(request: Request) -> Problem | None:
    """What to answer instead of doing it."""
    host = request.header("Host")
    if request.path in _PUBLIC:
        return None
    if host is not None and not _is_ours(host):
        # A site whose name is made to lead here has that name there.
        return _denied(f"The emulator answers only to names of its own machine, such as localhost: '{host}' is none.")
    if request.method in ("GET", "HEAD") or request.path.startswith("/web/"):
        return None
    origin = request.header("Origin")
    if origin is not None and origin.partition("://")[2].lower() != (host or "").lower():
        return _denied(f"A page of '{origin}' may not change anything here.")
    if request.header("Sec-Fetch-Site") not in (None, "same-origin", "none"):
        return _denied("A page of another site may not change anything here.")
    return None


def strange(path: str) -> Problem | None:
    """Why a path may mean something else than it says, by the frontend's `PathRule`. :param path: as it came"""
    is_route, lower = path.startswith("/web/"), path.lower()
    if ";" in path or ("%3b" in lower and not is_route):
        there = ", and %3B where a route's data has one." if is_route else ", nor a %3B."
        return problems.bad_request(f"A path has no parameters: there is no ';' in it{there}")
    if any(part in (".", "..") for part in lower.replace("%2e", ".").split("/")):
        return problems.bad_request("A path has no '.' and no '..' between its slashes: what it is about is said in full.")
    if not is_route and ("%2f" in lower or "%25" in lower):
        detail = "A slash or a per cent sign as data of a path (%2F, %25) is taken in the parameters of routes alone."
        return problems.bad_request(detail)
    return None


def _is_ours(host: str) -> bool:
    name = host if host.endswith("]") or ":" not in host else host.rpartition(":")[0]
    if name.lower() in ("localhost", "[::1]"):
        return True
    try:
        return ipaddress.IPv4Address(name).is_loopback
    except ValueError:
        return False


def _denied(detail: str) -> Problem:
    return Problem(403, "denied", "Not allowed", detail)
