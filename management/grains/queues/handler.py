"""Queues of the live version: their settings, what waits in them, and how many messages were given up on; with `topics` what
the application has in its other topics on the global bus too. And the queues of its grains on its hosts, and all topics."""

from manage import ask, ask_for_list, check, serve

MOST_TOPICS = 1000


def list_queues(request):
    """Those of triggers too."""
    return ask(request, "listQueues", {"app": check.application(request)}, {"topics": check.flag(request, "topics") or None})


def list_local_queues(request):
    """What waits for instances; not what it says, which passes through no grain."""
    return ask(request, "listLocalQueues", {"app": check.application(request)})


def list_topics(request):
    """Those of all applications, and the platform's own. What their records say passes through no grain."""
    query = {"limit": check.number(request, "limit", MOST_TOPICS, 1, MOST_TOPICS), "after": request.query.get("after")}
    return ask_for_list(request, "listTopics", {}, query, "topics", "after")


handle = serve(
    {
        "listQueues": ("read", list_queues),
        "listLocalQueues": ("read", list_local_queues),
        "listTopics": ("operator", list_topics),
    }
)
