"""Asks the platform for one of its operations, in the name of who asked the grain: the request's ticket says who that is."""

from __future__ import annotations

import sand.platform  # noqa: F401  (here, before workers are forked: it has Decimal, which takes an instance longer than its call)
from sand.errors import TooLarge

from manage.reply import Answered, Reply

# One answer of the platform to a grain is bounded; a list is asked for in parts.
PAGE = 100


def ask(request, operation, parameters, query=None, body=None):
    """Its answer, which may be a problem.

    :param parameters: of the path, by name
    :param query: values that are None are left out
    """
    arguments = {"parameters": parameters}
    said = {name: _text(value) for name, value in (query or {}).items() if value is not None}
    if said:
        arguments["query"] = said
    if body is not None:
        arguments["body"] = body
    status, answer = request.context.platform.call(operation, request.ticket, arguments)
    request.asked = True
    return Reply(status, answer)


def expect(request, operation, parameters, query=None, body=None):
    """The body of its answer. :raises Answered: that is a problem, which is the caller's answer too"""
    reply = ask(request, operation, parameters, query, body)
    if not reply.ok:
        raise Answered(reply)
    return reply.body


def ask_for_list(request, operation, parameters, query, listed, cursor):
    """As much of a list as `query` has for its limit, in parts of what the platform gives at once.

    :param listed: the answer's member that is the list; `next` beside it is where the next part begins
    :param cursor: the query parameter that takes it
    """
    limit, size, found = query["limit"], PAGE, []
    while True:
        wanted = min(size, limit - len(found))
        try:
            part = ask(request, operation, parameters, {**query, "limit": wanted})
        except TooLarge:
            if wanted == 1:
                raise
            size = max(1, wanted // 4)
            continue
        if not part.ok:
            return part
        found += part.body[listed]
        more = part.body.get("next")
        # A part that is not full, though there are more, has looked at as much as it may.
        if more is None or len(found) >= limit or len(part.body[listed]) < wanted:
            return Reply(200, {**part.body, listed: found})
        query = {**query, cursor: more}


def ask_for_fewer(request, operation, parameters, query):
    """As many as the platform gives at once, and at most `query`'s limit: the answer says where its caller goes on."""
    while True:
        try:
            return ask(request, operation, parameters, query)
        except TooLarge:
            if query["limit"] == 1:
                raise
            query = {**query, "limit": query["limit"] // 4 or 1}


def _text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)
