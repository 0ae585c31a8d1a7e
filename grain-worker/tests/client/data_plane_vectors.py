"""Makes event/vectors/data-plane/*.json, which Java and Python both read: run as a program, it writes them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from sand.client import frames
from sand.emulator import grants

FOLDER = Path(__file__).parents[3] / "event/vectors/data-plane"
_ID = "01JD3Q8Z9X7N4T2M6K5R1H0GWY"
KEY = bytes(range(32))
NOW_MS = 1_790_000_000_000


def all_frames() -> dict[str, Any]:
    return {
        "hello": frames.Hello(1, "AQAB-_", "a client, é"),
        "welcome": frames.Welcome(1, "h1", "cart~7", (1 << 40) + 3, NOW_MS, 2048, 1 << 28, 1 << 18, 60_000),
        "refused": frames.Refused("Sand.Denied", "the grant has expired", True),
        "invoke": frames.Invoke(7, _ID, False, 30_000, "add", "application/json", 7, b'{"n":1}'),
        "invoke-nothing": frames.Invoke(8, _ID, True, 0, "add", "application/octet-stream", 0, b""),
        "invoke-large": frames.Invoke((1 << 63) - 1, _ID, False, 1, "add", "application/x-npy", 1 << 26, b""),
        "part": frames.Part(9, bytes(range(256))),
        "result": frames.Result(7, _ID, "application/json", 4, b"null"),
        "result-large": frames.Result(7, _ID, "application/octet-stream", (64 << 10) + 1, b""),
        "failed": frames.Failed(7, "FAILED", "GRAIN", False, _ID, "ValueError", "é", "Traceback …\n"),
        "timed-out": frames.Failed(8, "TIMED_OUT", "PLATFORM", True, _ID, "Sand.Timeout", "late", ""),
        "cancelled": frames.Failed(9, "CANCELLED", "CALLER", False, "", "Sand.Cancelled", "", ""),
        "cancel": frames.Cancel(7),
        "ping": frames.Ping(1 << 33),
        "pong": frames.Pong(0),
        "moved": frames.Moved(0, ""),
        "moved-there": frames.Moved(7, "h2:7265"),
        "go-away": frames.GoAway("Sand.Unavailable", "host h1 is stopping"),
        "got": frames.Got((1 << 62) + 5),
    }


def bad_frames() -> dict[str, bytes]:
    whole = frames.encode(all_frames()["invoke"])
    return {
        "no kind": b"\0\0\0\0",
        "cut in a text": b"\0\0\0\6" + whole[4:10],
        "cut in a number": b"\0\0\0\3\x09\0\0",
        "text that is not UTF-8": b"\0\0\0\x05\x0c\0\2\xff\xfe",
        "no such status": frames.encode(all_frames()["failed"])[:13] + b"\7" + frames.encode(all_frames()["failed"])[14:],
        "a size that no value has": frames.encode(all_frames()["invoke-large"]._replace(size=(1 << 64) - 1)),
        "less of a value than said": whole[:3] + bytes((whole[3] - 1,)) + whole[4:-1],
    }


def all_grants() -> dict[str, Any]:
    plain = grants.Grant("shop", "cart~7", "h1", 5, frozenset({"invoke"}), frozenset(), NOW_MS, NOW_MS + 60_000)
    named = grants.Grant("é", "p", "h-2", 1 << 40, frozenset({"invoke"}), frozenset({"add", "remove"}), NOW_MS, NOW_MS + 1)
    later = replace(plain, version=7)
    return {"plain": plain, "with functions": named, "with the application's version": later}


def spellings() -> dict[str, Any]:
    """Of grants whose letters are none, one and two short of a multiple of four."""
    made = [grants.sign(replace(all_grants()["plain"], process=process), KEY) for process in ("cart~7", "cart~", "cart~78")]
    none, one, two = sorted(made, key=lambda token: -len(token) % 4)
    assert [-len(token) % 4 for token in (none, one, two)] == [0, 1, 2] and "-" in one
    wrong = [none + "=", none + "==", none + "====", one + "==", two + "=", two + "===", two + "======"]
    wrong += [one.replace("-", "+"), one + "\n", " " + two, one[:8] + "==" + one[8:]]
    return {"taken": [none, one, one + "=", two, two + "=="], "malformed": wrong}


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def shown(frame: Any) -> dict[str, Any]:
    fields = {camel(name): value.hex() if isinstance(value, bytes) else value for name, value in frame._asdict().items()}
    return {"frame": type(frame).__name__, **fields}


def documents() -> dict[str, Any]:
    return {
        "frames.json": {
            "good": [
                {"name": name, "wire": frames.encode(frame).hex(), **shown(frame)} for name, frame in all_frames().items()
            ],
            "bad": [{"name": name, "wire": data.hex()} for name, data in bad_frames().items()],
        },
        "grants.json": {
            "key": KEY.hex(),
            "nowMs": NOW_MS,
            "good": [
                {
                    "name": name, "token": grants.sign(grant, KEY), "application": grant.application,
                    "process": grant.process, "host": grant.host, "epoch": grant.epoch, "rights": sorted(grant.rights),
                    "functions": sorted(grant.functions), "issuedMs": grant.issued_ms, "expiresMs": grant.expires_ms,
                    "version": grant.version,
                }
                for name, grant in all_grants().items()
            ],
            "spellings": spellings(),
        },
    }  # fmt: skip


def text(document: Any) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, document in documents().items():
        (FOLDER / file).write_text(text(document))
