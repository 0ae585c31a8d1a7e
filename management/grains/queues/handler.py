"""Queues of the live version: their settings, what waits in them, and how many messages were given up on; with `topics` what
the application has in its other topics on the global bus too. And the queues of its grains on its hosts."""

from manage import ask, check, serve


def list_queues(request):
    """Those of triggers too."""
    return ask(request, "listQueues", {"app": check.application(request)}, {"topics": check.flag(request, "topics") or None})


def list_local_queues(request):
    """What waits for instances; not what it says, which passes through no grain."""
    return ask(request, "listLocalQueues", {"app": check.application(request)})


handle = serve({"listQueues": ("read", list_queues), "listLocalQueues": ("read", list_local_queues)})
