"""Messages that were given up on: looked at, sent again, forgotten."""

from manage import ask, ask_for_list, check, serve
from manage.reply import unknown

MOST = 1000
LONGEST_ID = 512


def list_letters(request):
    after = request.query.get("after")
    asked = {"limit": check.number(request, "limit", 100, 1, MOST), "after": after}
    return ask_for_list(request, "listDeadLetters", _queue(request), asked, "deadLetters", "after")


def drop_all(request):
    return ask(request, "dropDeadLetters", _queue(request))


def replay_all(request):
    return ask(request, "replayDeadLetters", _queue(request))


def drop(request):
    return ask(request, "dropDeadLetter", _letter(request))


def replay(request):
    return ask(request, "replayDeadLetter", _letter(request))


def _queue(request):
    app, queue = check.application(request), request.parameters.get("queue")
    if not check.is_name(queue):
        raise unknown("queue", f"Application '{app}' has no queue or trigger '{queue}'.")
    return {"app": app, "queue": queue}


def _letter(request):
    """The message's id is its sender's own, or made by the platform."""
    queue, id = _queue(request), request.parameters.get("message")
    if not isinstance(id, str) or not 1 <= len(id) <= LONGEST_ID:
        raise unknown("dead letter", f"Queue '{queue['queue']}' has no dead letter {id}, or has it no more.")
    return {**queue, "message": id}


handle = serve(
    {
        "listDeadLetters": ("read", list_letters),
        "dropDeadLetters": ("invoke", drop_all),
        "replayDeadLetters": ("invoke", replay_all),
        "dropDeadLetter": ("invoke", drop),
        "replayDeadLetter": ("invoke", replay),
    }
)
