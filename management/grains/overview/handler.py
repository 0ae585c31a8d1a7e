"""Home in figures: of each application how often it was called of late, how often that failed, and how long it took.

Reckoned from the newest invocations of each application, which is what there is records of: `invocations` says how many these
are, `sinceMs` how far back they go.
"""

from manage import Reply, ask, check, expect, serve

NEWEST = 100
MOST_APPLICATIONS = 100
FAILED = ("FAILED", "TIMED_OUT")


def overview(request):
    limit = check.number(request, "applications", 20, 1, MOST_APPLICATIONS)
    known = expect(request, "listApplications", {})["applications"]
    figures = [_application(request, each["name"]) for each in known[:limit]]
    return Reply(200, {"applications": [each for each in figures if each], "more": max(0, len(known) - limit)})


def application_figures(request):
    app = check.application(request)
    return Reply(200, figures(app, expect(request, "listInvocations", {"app": app}, {"limit": NEWEST})["invocations"]))


def _application(request, name):
    """None: it was deleted in this moment."""
    found = ask(request, "listInvocations", {"app": name}, {"limit": NEWEST})
    return figures(name, found.body["invocations"]) if found.ok else None


def figures(name, invocations):
    """:param invocations: the newest first"""
    ended = [each for each in invocations if each.get("endedMs")]
    took = sorted(each["endedMs"] - each["startedMs"] for each in ended)
    failed = sum(each["status"] in FAILED for each in ended)
    return {
        "name": name,
        "invocations": len(invocations),
        "running": len(invocations) - len(ended),
        "errors": failed,
        "errorRate": round(failed / len(ended), 4) if ended else None,
        "sinceMs": invocations[-1]["startedMs"] if invocations else None,
        "p50Ms": quantile(took, 0.5),
        "p95Ms": quantile(took, 0.95),
        "p99Ms": quantile(took, 0.99),
    }


def quantile(ordered, part):
    """The smallest value that at least so large a part does not exceed."""
    if not ordered:
        return None
    return ordered[max(0, -(-len(ordered) * round(part * 100) // 100) - 1)]


handle = serve({"getOverview": ("read", overview), "applicationFigures": ("read", application_figures)})
