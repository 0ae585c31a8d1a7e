"""Invocations: what happened to executions, while they run and after."""

from manage import ask, ask_for_list, check, serve
from manage.reply import unknown

STATUSES = ("RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT", "CANCELLED")


def list_invocations(request):
    """The newest first."""
    asked = {
        "status": check.one_of(request, "status", STATUSES, "is no status of an invocation."),
        "target": check.target(request, "target"),
        "process": _process(request.query.get("process")),
        "before": check.execution(request, "before", "is no execution's id: 'before' takes the 'next' of an earlier answer."),
        "limit": check.number(request, "limit", 50, 1, 1000),
    }
    app = check.application(request)
    return ask_for_list(request, "listInvocations", {"app": app}, asked, "invocations", "before")


def describe_invocation(request):
    return ask(request, "describeInvocation", _invocation(request))


def timeline(request):
    return ask(request, "invocationTimeline", _invocation(request))


def history(request):
    """Of a workflow's execution, or of one iteration of its distributed Map."""
    asked = {
        "limit": check.number(request, "limit", 100, 1, 1000),
        "after": check.number(request, "after", 0, 0, (1 << 31) - 1),
        "reverse": check.flag(request, "reverse"),
        "iteration": request.query.get("iteration") or None,
    }
    return ask_for_list(request, "invocationHistory", _invocation(request), asked, "events", "after")


def _process(text):
    return text if text is None else check.process(text, "/query/process")


def _invocation(request):
    app, id = check.application(request), request.parameters.get("id")
    if not check.is_execution(id):
        raise unknown("invocation", f"Application '{app}' has no invocation {id}, or has it no more.")
    return {"app": app, "id": id}


handle = serve(
    {
        "listInvocations": ("read", list_invocations),
        "describeInvocation": ("read", describe_invocation),
        "invocationTimeline": ("read", timeline),
        "invocationHistory": ("read", history),
    }
)
