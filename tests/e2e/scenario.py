"""Scenarios: an application folder with a `calls.yaml`, and what runs its steps against a server. scenarios/README.md has the
format; test_agreement.py runs all of them on the platform and on the emulator."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import yaml
from conftest import until, zipped
from sand.command.bundle import zip_folder

FOLDER = Path(__file__).parent / "scenarios"
ALL = sorted(path.parent for path in FOLDER.glob("*/calls.yaml"))
KINDS = ("call", "get", "post", "send", "api", "report", "ended", "stream", "deploy", "history")
PATIENCE_SECONDS = 60
# What a step says of its request; all else is what is to come back.
_ASKED = {*KINDS, "body", "text_body", "hex_body", "size", "content_type", "cancel", "until", "as", "app", "at_once", "group",
          "key", "token_of", "with"}  # fmt: skip


def content(folder: Path) -> dict[str, Any]:
    return yaml.safe_load((folder / "calls.yaml").read_text())


class Server:
    """The platform or the emulator, over HTTP."""

    def __init__(self, url: str) -> None:
        self.http = httpx.Client(base_url=url, timeout=120, trust_env=False)

    def deploy(self, data: bytes) -> httpx.Response:
        return self.http.post("/api/v1/applications", content=data, headers={"Content-Type": "application/zip"})

    def ended(self, where: str) -> dict[str, Any]:
        def look() -> dict[str, Any] | None:
            record = self.http.get(where).json()
            return record if record.get("status", "RUNNING") != "RUNNING" else None

        return until(look, f"{where} has ended")


class Scenario:
    """One run of a scenario. `names`: executions and messages that steps gave a name to, by their ids."""

    def __init__(self, server: Server, folder: Path) -> None:
        self._server = server
        self._http = server.http
        self._folder = folder
        self._name = folder.name
        self.names: dict[str, str] = {}
        self._token = ""

    def run(self) -> None:
        """Raises AssertionError with the first step that is not answered as it says."""
        said = content(self._folder)
        for folder in (self._folder, *(self._folder / name for name in said.get("applications", ()))):
            deployed = self._server.deploy(zip_folder(folder))
            assert deployed.status_code == 201, deployed.text
        for number, step in enumerate(said["calls"]):
            seen = self._differences(step)
            assert not seen, f"step {number}, {step}: {seen}"

    def _differences(self, step: dict[str, Any]) -> list[str]:
        if "at_once" in step:
            with ThreadPoolExecutor(step["at_once"]) as pool:
                answers = list(pool.map(lambda _: self._send(step), range(step["at_once"])))
            found = [answer.json() for answer in answers]
            if "sorted" in step:
                return [] if sorted(found) == step["sorted"] else [f"sorted is {sorted(found)}"]
            return [difference for answer in answers for difference in self._compared(step, answer)]
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (seen := self._compared(step, self._send(step))) and step.get("until") and time.monotonic() < deadline:
            time.sleep(0.05)
        return seen

    # --- requests

    def _send(self, step: dict[str, Any]) -> httpx.Response:
        (kind,) = [kind for kind in KINDS if kind in step]
        ask = {"call": self._call, "get": self._get, "post": self._post, "send": self._enqueue, "api": self._api,
               "report": self._report, "ended": self._ended, "stream": self._stream, "deploy": self._deploy,
               "history": self._history}  # fmt: skip
        answer: httpx.Response = ask[kind](step)
        if "as" in step:
            self.names[step["as"]] = answer.json()["id"] if kind == "send" else answer.headers["sand-execution-id"]
        return answer

    @staticmethod
    def _content(step: dict[str, Any]) -> dict[str, Any]:
        data = json.dumps(step.get("body")).encode()
        if "size" in step:
            data = b"\x7f" * step["size"]
        elif "hex_body" in step:
            data = bytes.fromhex(step["hex_body"])
        elif "text_body" in step:
            data = step["text_body"].encode()
        return {"content": data, "headers": {"Content-Type": step.get("content_type", "application/json")}}

    def _call(self, step: dict[str, Any]) -> httpx.Response:
        sent = self._content(step)
        sent["headers"] |= step.get("headers", {})
        return self._http.post(f"/invoke/{step.get('app', self._name)}/{step['call']}", **sent)

    def _get(self, step: dict[str, Any]) -> httpx.Response:
        return self._http.get(f"/web/{self._name}/{step['get']}")

    def _post(self, step: dict[str, Any]) -> httpx.Response:
        return self._http.post(f"/web/{self._name}/{step['post']}", **self._content(step))

    def _path(self, path: str) -> str:
        return f"/api/v1/applications/{self._name}/{path.format_map(self.names)}"

    def _api(self, step: dict[str, Any]) -> httpx.Response:
        method, path = step["api"].split(" ", 1)
        return self._http.request(method, self._path(path), json=step.get("body"), headers=step.get("headers"))

    def _enqueue(self, step: dict[str, Any]) -> httpx.Response:
        sent = self._content(step)
        if "key" in step:
            sent["headers"]["Idempotency-Key"] = step["key"]
        group = {"group": step["group"]} if "group" in step else {}
        return self._http.post(self._path(f"queues/{step['send']}"), params=group, **sent)

    def _report(self, step: dict[str, Any]) -> httpx.Response:
        if "token_of" in step:
            self._token = until(lambda: self._call(step["token_of"]).json(), "there is a token")
        body = {"token": self._token, **step.get("with", {})}
        return self._http.post(f"/api/v1/task-tokens/{step['report']}", json=body)

    def _ended(self, step: dict[str, Any]) -> httpx.Response:
        where = self._path(f"invocations/{{{step['ended']}}}")
        self._server.ended(where)
        return self._http.get(where)

    def _stream(self, step: dict[str, Any]) -> httpx.Response:
        """The names of the events, as if they were one answer."""
        with self._http.stream("GET", self._path(step["stream"]), headers={"Accept": "text/event-stream"}) as events:
            names = [line[7:] for line in events.iter_lines() if line.startswith("event: ")]
            return httpx.Response(events.status_code, json=names)

    def _history(self, step: dict[str, Any]) -> httpx.Response:
        """What an execution that has ended did: a line an event, of all pages, without times."""
        where = self._path(f"invocations/{{{step['history']}}}")
        self._server.ended(where)
        lines: list[str] = []
        query = {"limit": 5, "after": 0, **step.get("with", {})}
        after: int | None = query["after"]
        while after is not None:
            answer = self._http.get(f"{where}/history", params=query | {"after": after})
            if answer.status_code != 200:
                return answer
            for event in answer.json()["events"]:
                details = next((said for name, said in event.items() if name.endswith("Details")), None)
                shown = "" if details is None else " " + json.dumps(details, sort_keys=True)
                assert len(event["timestamp"]) >= len("2024-01-01T00:00:00Z")
                lines.append(f"{event['id']} {event['previousEventId']} {event['type']}{shown}")
            after = answer.json()["next"]
        return httpx.Response(200, json=lines)

    def _deploy(self, step: dict[str, Any]) -> httpx.Response:
        """The application with the files of a folder of it in place of its own."""
        over = self._folder / step["deploy"]
        files = {str(path.relative_to(self._folder)): path for path in self._folder.rglob("*.*") if path.is_file()}
        files |= {str(path.relative_to(over)): path for path in over.rglob("*.*") if path.is_file()}
        return self._server.deploy(zipped({name: path.read_bytes() for name, path in files.items()}))

    # --- answers

    def _compared(self, step: dict[str, Any], answer: httpx.Response) -> list[str]:
        """What is not as the step says, in words."""
        wanted = {"status": {"send": 202, "deploy": 201}.get(next(iter(step)), 200), **step}
        told = answer.json() if "json" in answer.headers.get("content-type", "") else None
        seen: dict[str, Any] = {"status": answer.status_code, "is": told, "text": answer.text if "text" in step else None}
        seen["type"] = answer.headers.get("content-type", "").partition(";")[0]
        seen |= {"length": len(answer.content), "hex": answer.content.hex() if "hex" in step else None}
        if answer.status_code >= 400 and isinstance(told, dict):
            seen |= {name: told.get(name) for name in ("error", "detail", "source")}
            seen["problem"] = str(told.get("type")).rpartition("/")[2]
        if "get" in step or "post" in step:
            seen["headers"] = {name: answer.headers.get(name) for name in step.get("headers", {})}
        else:
            wanted.pop("headers", None)
        if "call" in step and answer.headers.get("sand-execution-id"):
            where = f"/api/v1/applications/{step.get('app', self._name)}/invocations/{answer.headers['sand-execution-id']}"
            if step.get("cancel"):
                assert self._http.post(f"{where}/cancel").json()["status"] == "CANCELLED"
            if wanted.keys() & {"record", "hops", "output", "output_error"}:
                seen |= self._recorded(where, step)
        elif "ended" in step:
            seen |= self._recorded(self._path(f"invocations/{{{step['ended']}}}"), step)
        for has, of in (("has", "is"), ("has_output", "output")):
            if has in step:
                seen[has] = step[has] if includes(step[has], seen.get(of)) else seen.get(of)
        compared = {name: want for name, want in wanted.items() if name not in _ASKED}
        return [
            f"{name} is {seen.get(name)!r}: {answer.text[:300]}" for name, want in compared.items() if seen.get(name) != want
        ]

    def _recorded(self, where: str, step: dict[str, Any]) -> dict[str, Any]:
        """What is kept of the execution: `record` its status, `hops` its attempts, `output` or `output_error`."""
        found: dict[str, Any] = {"record": self._server.ended(where)["status"]}
        if "hops" in step:
            hops = self._http.get(f"{where}/timeline").json()["hops"]
            found["hops"] = [[hop["grain"], hop["attempt"], hop["error"]] for hop in hops]
        if step.keys() & {"output", "output_error", "has_output"}:
            output = self._http.get(f"{where}/output").json()
            found |= {"output": output, "output_error": output.get("error") if isinstance(output, dict) else None}
        return found


def includes(part: Any, whole: Any) -> bool:
    """Whether `whole` has all that `part` has: fewer members of objects, null for anything in a list."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(includes(value, whole.get(name)) for name, value in part.items())
    if isinstance(part, list):
        same_size = isinstance(whole, list) and len(part) == len(whole)
        return same_size and all(one is None or includes(one, other) for one, other in zip(part, whole, strict=True))
    return part == whole
