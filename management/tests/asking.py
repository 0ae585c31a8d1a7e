"""A platform that records what it is asked, and a call of a grain as the frontend makes it.

Grains run in the emulator, with real tables; only the platform's control calls are a fake.
"""

from pathlib import Path

import yaml
from sand.errors import TooLarge

_SHIPPED = Path(__file__).parents[2] / "standalone/src/main/resources/capabilities.yaml"
CAPABILITIES = yaml.safe_load(_SHIPPED.read_text())["applications"]["0sand-management"]["grains"]
ALL = ("invoke", "deploy", "read", "admin", "operator")
EXECUTION = "01K8ZQ4T7N3V5W9X2Y6B8C0D1E"


class Platform:
    """Answers with what the test says, and keeps what it was asked: (operation, ticket, arguments).

    `applications` are those of each tenant; the ticket says whose the request is, as a real one does. An operation of an
    application of somebody else's is 404, as of one that is not there.
    """

    def __init__(self):
        self.applications = {"default": {"shop"}, "acme": {"till"}}
        self.answers = {}
        self.calls = []
        self.most = None
        self.grain = None

    def call(self, operation, ticket, arguments):
        assert operation in CAPABILITIES.get(self.grain, ()), f"{self.grain} may not {operation}"
        self.calls.append((operation, ticket, arguments))
        tenant = ticket.removeprefix("ticket of ")
        app = arguments.get("parameters", {}).get("app")
        if app is not None and app not in self.applications.get(tenant, ()):
            return 404, problem(404, "unknown-application", f"There is no application '{app}' here; deploy it first.")
        limit = int(arguments.get("query", {}).get("limit", 0))
        if self.most is not None and limit > self.most:
            raise TooLarge("the answer is over 524288 bytes")
        answer = self.answers.get(operation, (200, {"asked": operation}))
        return answer(arguments) if callable(answer) else answer

    @property
    def last(self):
        """What it was asked last, without the ticket."""
        operation, _, arguments = self.calls[-1]
        return operation, arguments


def problem(status, name, detail):
    return {"type": f"https://sand.dev/problems/{name}", "title": name, "status": status, "detail": detail}


class Caller:
    """Somebody who asks a grain, with the scopes that are said."""

    def __init__(self, application, platform, tenant="default", scopes=ALL, user=None, kind="local", id="local"):
        self._application = application
        self._platform = platform
        self.who = {"kind": kind, "id": id, "user": user, "tenant": tenant, "scopes": list(scopes)}

    def __call__(self, grain, operation, parameters=None, query=None, body=None, headers=None, drawn=None):
        event = {
            "operation": operation,
            "parameters": parameters or {},
            "query": query or {},
            "headers": headers or {},
            "body": body,
            "who": self.who,
            "client": "127.0.0.1",
            "drawn": drawn,
            "ticket": f"ticket of {self.who['tenant']}",
        }
        self._platform.grain = grain
        return Answer(self._application.call(grain, event))


class Answer:
    def __init__(self, document):
        self.status = document["status"]
        self.headers = document["headers"]
        self.body = document["body"]

    @property
    def kind(self):
        """Of a problem."""
        return self.body["type"].removeprefix("https://sand.dev/problems/")

    def refuses(self, pointer, detail=None):
        """A 400 that says where the mistake is, in the frontend's words."""
        assert (self.status, self.kind) == (400, "bad-request"), self.body
        assert self.headers["content-type"] == "application/problem+json"
        assert self.body["pointer"] == pointer
        assert detail is None or self.body["detail"] == detail
