"""Queues of the live version: their settings, what waits in them, and how many messages were given up on."""

from manage import ask, check, serve


def list_queues(request):
    """Those of triggers too."""
    return ask(request, "listQueues", {"app": check.application(request)})


handle = serve({"listQueues": ("read", list_queues)})
