"""Secrets of an application: their names, and forgetting them. No value passes through a grain, in whose record it would stay:
whoever sets one speaks to the frontend, which keeps it encrypted."""

from manage import ask, check, serve


def list_secrets(request):
    return ask(request, "listSecrets", {"app": check.application(request)})


def delete(request):
    app = check.application(request)
    return ask(request, "deleteSecret", {"app": app, "secret": check.secret(request.parameters.get("secret"))})


handle = serve({"listSecrets": ("deploy", list_secrets), "deleteSecret": ("deploy", delete)})
