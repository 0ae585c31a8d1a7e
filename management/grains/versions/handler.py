"""Versions of an application: which there are, one of them, and what one has otherwise than another."""

from manage import ask, check, serve


def list_versions(request):
    return ask(request, "listVersions", {"app": check.application(request)})


def describe_version(request):
    app = check.application(request)
    return ask(request, "describeVersion", {"app": app, "version": _version(request, app)})


def compare_versions(request):
    """Files that differ, with the text of both where it is short."""
    app = check.application(request)
    first = _version(request, app)
    other = check.version(request, app, check.wanted(request, "to"))
    return ask(request, "compareVersions", {"app": app, "version": first}, {"to": other})


def _version(request, app):
    return check.version(request, app, request.parameters.get("version"))


handle = serve(
    {
        "listVersions": ("read", list_versions),
        "describeVersion": ("read", describe_version),
        "compareVersions": ("read", compare_versions),
    }
)
