"""What a grain answers, and its problems: those of the frontend, word by word."""

from __future__ import annotations

TYPE_PREFIX = "https://sand.dev/problems/"
RETRY_LATER = (429, 503, 507)


class Reply:
    """:param body: what JSON can say; None: there is none"""

    __slots__ = ("body", "headers", "status")

    def __init__(self, status, body=None, headers=None):
        self.status = status
        self.body = body
        self.headers = headers or {}

    @property
    def ok(self):
        return self.status < 400

    def document(self):
        # What has no body has no type.
        headers = dict(self.headers)
        if self.body is not None:
            headers.setdefault("content-type", "application/json")
        if not self.ok:
            headers["content-type"] = "application/problem+json"
        if self.status in RETRY_LATER:
            headers.setdefault("retry-after", "1")
        return {"status": self.status, "headers": headers, "body": self.body}


class Answered(Exception):
    """The platform has answered already: with a problem, which is passed on."""

    def __init__(self, reply):
        super().__init__(reply.status)
        self.reply = reply


class Problem(Exception):
    """An RFC 9457 problem. The frontend adds `instance`, the request's path.

    :param more: further members, such as `pointer`: where in the request the mistake is
    """

    def __init__(self, status, name, title, detail, source="caller", retryable=False, **more):
        super().__init__(detail)
        self.status = status
        self.name = name
        self.title = title
        self.detail = detail
        self.source = source
        self.retryable = retryable
        self.more = more
        self.headers = {}

    def reply(self):
        body = {"type": TYPE_PREFIX + self.name, "title": self.title, "status": self.status, "detail": self.detail}
        body |= {"source": self.source, "retryable": self.retryable}
        body |= {member: value for member, value in self.more.items() if value is not None}
        return Reply(self.status, body, self.headers)


def bad_request(detail, pointer):
    return Problem(400, "bad-request", "The request is not well-formed", detail, pointer=pointer)


def denied(detail, **more):
    return Problem(403, "denied", "Not allowed", detail, **more)


def conflict(detail, **more):
    return Problem(409, "conflict", "Conflict", detail, **more)


def unknown(what, detail):
    """404 of a kind of its own: `unknown-trigger`, …"""
    return Problem(404, "unknown-" + what.replace(" ", "-"), f"Unknown {what}", detail)


def unknown_application(name):
    return unknown("application", f"There is no application '{name}' here; deploy it first.")


def unknown_version(application, qualifier):
    detail = f"Application '{application}' has no version or alias '{qualifier}'."
    return Problem(404, "unknown-version", "Unknown version or alias", detail)


def too_many(name, detail, seconds, **more):
    """429. :param seconds: when to come back"""
    problem = Problem(429, name, "Too many", detail, retryable=True, retryAfterMs=seconds * 1000, **more)
    problem.headers["retry-after"] = str(seconds)
    return problem
