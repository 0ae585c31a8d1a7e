"""What grains wrote: of an application, an invocation, a cloud process. Who follows lines as they come asks no grain."""

import re

from manage import ask_for_fewer, check, serve
from manage.reply import bad_request, unknown

MOST = 10_000
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")


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
    after = request.headers.get("last-event-id", request.query.get("after"))
    if after is not None and not _NUMBER.fullmatch(after):
        raise bad_request(f"'{after}' is no number of a line.", "/query/after")
    return {
        "grain": check.target(request, "grain"),
        "limit": check.number(request, "limit", 1000, 1, MOST),
        "after": None if after is None else int(after),
    }


handle = serve(
    {
        "applicationLogs": ("read", of_application),
        "invocationLogs": ("read", of_invocation),
        "processLogs": ("read", of_process),
    }
)
