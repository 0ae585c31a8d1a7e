"""Applications: which there are, what one is, and its end."""

from manage import ask, check, serve, store

# What the management keeps of an application, and goes with it: a partition a tenant, a key an application.
KEPT = ("moves", "armed")


def list_applications(request):
    """The platform's own too, when `system` says so; another tenant's for the operator."""
    asked = {"system": check.flag(request, "system") or None, "tenant": request.query.get("tenant")}
    return ask(request, "listApplications", {}, asked)


def describe_application(request):
    return ask(request, "describeApplication", {"app": check.application(request)})


def delete_application(request):
    """The application first: what is kept of one that is not there misleads nobody."""
    app = check.application(request)
    gone = ask(request, "deleteApplication", {"app": app})
    if gone.ok:
        with store.after_the_change(request):
            for partition in KEPT:
                store.Rows(request, partition, request.tenant).delete(app)
    return gone


handle = serve(
    {
        "listApplications": ("read", list_applications),
        "describeApplication": ("read", describe_application),
        "deleteApplication": ("admin", delete_application),
    }
)
