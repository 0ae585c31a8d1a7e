"""One call of an operation, as the frontend gives it to a grain."""

from __future__ import annotations

from manage.who import Who


class Request:
    """Nothing in it is checked; see check.py."""

    __slots__ = ("asked", "body", "client", "context", "drawn", "headers", "operation", "parameters", "query", "ticket", "who")

    def __init__(self, event, context):
        self.context = context
        self.operation = event["operation"]
        self.parameters = event.get("parameters") or {}
        self.query = event.get("query") or {}
        self.headers = event.get("headers") or {}
        self.body = event.get("body")
        self.who = Who.of(event.get("who"))
        self.client = event.get("client")
        # What the frontend drew for the caller, who alone is told of it: a key's or a session's id, and its hash.
        self.drawn = event.get("drawn") or {}
        self.ticket = event.get("ticket") or ""
        # Whether the platform has done something for it.
        self.asked = False

    @property
    def tenant(self):
        """Whose things it is about: whose application its path names, or of who asks."""
        app = self.parameters.get("app")
        if not isinstance(app, str):
            return self.who.tenant
        before, between, _ = app.partition("--")
        return before if between else "default"
