"""What grains wrote: of an application, an invocation, a cloud process. Who follows lines as they come asks no grain."""

import re

from manage import ask_for_fewer, check, serve
from manage.reply import bad_request, unknown

MOST = 10_000
MOST_TEXT = 256
LEVELS = ("debug", "info", "warning", "error", "critical")
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")
_STREAMS = re.compile(r"(stdout|stderr|platform)(,(stdout|stderr|platform))*")


def of_application(request):
    app = check.application(request)
    asked = _lines(request) | {"invocation": check.execution(request, "invocation")}
    return ask_for_fewer(request, "applicationLogs", {"app": app}, asked)


def of_invocation(request):
    app, id = check.application(request), request.parameters.get("id")
    if not check.is_execution(id):
        raise unknown("invocation", f"Application '{app}' has no invocation {id}, or has it no more.")
    return ask_for_fewer(request, "invocationLogs", {"app": app, "id": id}, _lines(request))


def of_process(request):
    app = check.application(request)
    process = check.process(request.parameters.get("process", ""))
    asked = _lines(request) | {"invocation": check.execution(request, "invocation")}
    return ask_for_fewer(request, "processLogs", {"app": app, "process": process}, asked)


def _lines(request):
    """Which lines, and how many of them."""
    if check.flag(request, "follow"):
        raise bad_request("A stream of lines is the frontend's to give.", "/query/follow")
    after = _number("after", request.headers.get("last-event-id", request.query.get("after")))
    before = _number("before", request.query.get("before"))
    if after is not None and before is not None:
        raise bad_request("Lines are asked for before one, or after one and followed; not both.", "/query/before")
    text, level, streams = (request.query.get(name) for name in ("text", "level", "stream"))
    if text is not None and not 1 <= len(text) <= MOST_TEXT:
        raise bad_request(f"Query parameter 'text' has 1 to {MOST_TEXT} characters.", "/query/text")
    if streams is not None and not _STREAMS.fullmatch(streams):
        detail = (
            f"Query parameter 'stream' is stdout, stderr and platform, or some of these with commas between, not '{streams}'."
        )
        raise bad_request(detail, "/query/stream")
    if level is not None and level not in LEVELS:
        raise bad_request(f"Query parameter 'level' is one of {', '.join(LEVELS)}, not '{level}'.", "/query/level")
    return {
        "grain": check.target(request, "grain"),
        "text": text,
        "level": level,
        "stream": streams,
        "limit": check.number(request, "limit", 1000, 1, MOST),
        "after": after,
        "before": before,
    }


def _number(name, text):
    if text is not None and not _NUMBER.fullmatch(text):
        raise bad_request(f"'{text}' is no number of a line.", f"/query/{name}")
    return None if text is None else int(text)


handle = serve(
    {
        "applicationLogs": ("read", of_application),
        "invocationLogs": ("read", of_invocation),
        "processLogs": ("read", of_process),
    }
)
