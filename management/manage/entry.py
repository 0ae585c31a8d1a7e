"""From an operation's name to the function that answers it."""

from __future__ import annotations

from sand import errors

from manage.reply import Answered, Problem, Reply, conflict
from manage.request import Request

# What the platform refuses in the middle of an operation, as the frontend tells of it.
_REFUSALS = {
    errors.Unavailable: (503, "unavailable", "Not available now", True),
    errors.Overloaded: (429, "overloaded", "A bounded queue is full", True),
    errors.TooLarge: (413, "too-large", "Over a size limit", False),
    errors.Denied: (403, "denied", "Not allowed", False),
}


def serve(operations):
    """A grain's handler.

    :param operations: by operationId the scope that it needs (None: it decides itself) and the function; those of the
        frontend's document have the scope that stands there
    """

    def handle(event, context):
        """:param event: {"operation", "parameters", "query", "headers", "body", "who", "client", "drawn", "ticket"}"""
        request = Request(event, context)
        if request.operation == "ready":
            return ready(request).document()
        return answer(operations, request).document()

    handle.operations = operations
    return handle


def ready(request):
    """Whether the grain can be had, and what it asks of the platform comes through: without a capability it could do nothing.
    (A frontend that sends no ticket with it is older than that question.)"""
    if request.ticket:
        try:
            request.context.platform.call("ready", request.ticket)
        except errors.SandError as refused:
            return Problem(503, "unavailable", "Not available now", str(refused), "platform", True, error=refused.error).reply()
    return Reply(200, {"grain": request.context.grain})


def answer(operations, request):
    try:
        scope, operation = operations[request.operation]
    except KeyError:
        # The frontend and this version of the grain do not agree on what it does: nobody can call that by mistake.
        detail = f"Grain {request.context.grain} has no operation '{request.operation}'."
        return Problem(500, "unknown-operation", "The management has no such operation", detail, "platform").reply()
    try:
        request.who.require(scope)
        return operation(request)
    except Problem as problem:
        return problem.reply()
    except Answered as answered:
        return answered.reply
    except errors.Conflict as lost:
        return conflict(f"Another change was faster: {lost}", error=lost.error).reply()
    except tuple(_REFUSALS) as refused:
        status, name, title, retryable = next(kind for error, kind in _REFUSALS.items() if isinstance(refused, error))
        # The frontend does itself what the platform has denied a grain, if that has not done part of it.
        begun = True if request.asked else None
        return Problem(status, name, title, str(refused), "platform", retryable, error=refused.error, mayHaveRun=begun).reply()
