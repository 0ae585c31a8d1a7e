"""Queues of the live version: their settings, what waits in them, and how many messages were given up on; with `topics` what
the application has in its other topics on the global bus too."""

from manage import ask, check, serve


def list_queues(request):
    """Those of triggers too."""
    return ask(request, "listQueues", {"app": check.application(request)}, {"topics": check.flag(request, "topics") or None})


handle = serve({"listQueues": ("read", list_queues)})
