"""Applications: which there are, what one is, what it is for, and its end.

What an application is for is a row of its own (`about/<tenant>`), since versions are immutable and people's words are not.
"""

from manage import Reply, ask, check, expect, serve, store

LONGEST = 1000
# What the management keeps of an application, and goes with it: a partition a tenant, a key an application.
KEPT = ("about", "moves", "armed", "deployments")


def list_applications(request):
    """The platform's own too, when `system` says so; another tenant's for the operator."""
    asked = {"system": check.flag(request, "system") or None, "tenant": request.query.get("tenant")}
    return ask(request, "listApplications", {}, asked)


def describe_application(request):
    return ask(request, "describeApplication", {"app": check.application(request)})


def describe_about(request):
    """Words may be there before a version is, and stay with it: whether there is the application is the platform's to say."""
    app = check.application(request)
    expect(request, "listVersions", {"app": app})
    row = store.Rows(request, "about", request.tenant).get(app)
    return Reply(200, {"application": app, "description": "", **store.without_schema(row or {})})


def change_about(request):
    app = check.application(request)
    body = check.body(request, "The body is an object with description.", ("description",), _has_no)
    words = check.text(body, "description", 0, LONGEST)
    expect(request, "listVersions", {"app": app})
    row = {"description": words, "changedMs": store.now_ms(), "by": request.who.name}
    store.Rows(request, "about", request.tenant).put(app, row)
    return Reply(200, {"application": app, **row})


def _has_no(name):
    return f"An application's words have no '{name}': they have description."


def delete_application(request):
    """The application first: what is kept of one that is not there misleads nobody."""
    app = check.application(request)
    gone = ask(request, "deleteApplication", {"app": app})
    if gone.ok:
        with store.after_the_change(request):
            for partition in KEPT:
                store.Rows(request, partition, request.tenant).delete(app)
            events = store.Rows(request, "events", request.tenant, app)
            for key, _ in events.items():
                events.delete(key)
    return gone


handle = serve(
    {
        "listApplications": ("read", list_applications),
        "describeApplication": ("read", describe_application),
        "describeAbout": ("read", describe_about),
        "changeAbout": ("deploy", change_about),
        "deleteApplication": ("admin", delete_application),
    }
)
