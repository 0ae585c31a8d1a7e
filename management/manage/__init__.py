"""What the grains of the management service share. Imported once, before workers are forked: each costs its own few pages only.

A grain's handler is `serve({operation: (scope, function)})`; a function takes a `Request` and gives a `Reply`, or raises a
`Problem`. What it takes from a request goes through `check`, what it wants of the platform through `ask`, and what it keeps
through `store`. No grain hands on what it was given.
"""

from manage import check, store
from manage.ask import ask, ask_for_fewer, ask_for_list, expect
from manage.entry import serve
from manage.reply import Problem, Reply
from manage.request import Request

__all__ = ["Problem", "Reply", "Request", "ask", "ask_for_fewer", "ask_for_list", "check", "expect", "serve", "store"]
