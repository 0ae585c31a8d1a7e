"""Executions that are to end now, and workflows' executions that are to go on."""

from manage import ask, check, serve
from manage.reply import bad_request, unknown

MOST_ERROR = 256
MOST_CAUSE = 32 << 10
LONGEST_MS = 366 * 86_400_000
STOP = 'The body is a JSON object with an "error" and a "cause", or there is none.'
REDRIVE = (
    'The body is a JSON object with a "redriveCount" or a "version", numbers from 1 on, or with a "from", the name of a state,'
    " or there is none."
)


def cancel(request):
    """With the error and the cause that are said, as AWS's StopExecution."""
    invocation = _invocation(request)
    body = check.body(request, STOP, ("error", "cause"), _says_nothing)
    error, cause = _text(body, "error", MOST_ERROR), _text(body, "cause", MOST_CAUSE)
    if error is not None and error.startswith("Sand."):
        raise bad_request('"error" is a name of your own: those that begin with "Sand." are the platform\'s.', "/body/error")
    said = {name: value for name, value in (("error", error), ("cause", cause)) if value is not None}
    return ask(request, "cancelInvocation", invocation, body=said or None)


def _says_nothing(name):
    return f'"{name}" says nothing here: an execution is stopped with "error" and "cause".'


def _text(body, field, most):
    value = body.get(field)
    if value is not None and not isinstance(value, str):
        raise bad_request(f'"{field}" is a string.', f"/body/{field}")
    if value is not None and len(value) > most:
        raise bad_request(f'"{field}" has {len(value)} characters, the limit is {most}.', f"/body/{field}")
    return value


def redrive(request):
    """Under the same id, from the state that failed, or from the one that is named; with another version, when one is."""
    invocation = _invocation(request)
    body = check.body(request, REDRIVE, ("redriveCount", "version", "from"))
    wish = {name: _wished(name, value) for name, value in body.items()}
    asked = {"timeout": _timeout(request.query.get("timeout"))}
    return ask(request, "redriveInvocation", invocation, asked, wish or None)


def _wished(name, value):
    if name != "from":
        return check.positive(value, REDRIVE, f"/body/{name}")
    if not isinstance(value, str) or not value:
        raise bad_request(REDRIVE, "/body/from")
    return value


def _timeout(text):
    if text is None:
        return None
    try:
        ms = check.duration_ms(text)
    except ValueError as wrong:
        raise bad_request(f"timeout: {wrong}.", "/query/timeout") from None
    if not 1 <= ms <= LONGEST_MS:
        raise bad_request(f"timeout is from 1ms to 366d, not '{text}'.", "/query/timeout")
    return f"{ms}ms"


def _invocation(request):
    app, id = check.application(request), request.parameters.get("id")
    if not check.is_execution(id):
        raise unknown("invocation", f"Application '{app}' has no invocation {id}, or has it no more.")
    return {"app": app, "id": id}


handle = serve({"cancelInvocation": ("invoke", cancel), "redriveInvocation": ("invoke", redrive)})
