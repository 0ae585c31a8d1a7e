"""What grains are made of: the files of a version."""

from manage import ask, check, serve


def list_files(request):
    """Of a version. Their contents are not for grains: they may be large."""
    app = check.application(request)
    version = check.version(request, app, request.parameters.get("version"))
    return ask(request, "listFiles", {"app": app, "version": version})


handle = serve({"listFiles": ("read", list_files)})
