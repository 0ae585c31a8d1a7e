"""Hosts: what runs on them now. The platform's own, for who operates it."""

from manage import ask, check, serve


def status(request):
    """The platform's own application too, when `system` says so."""
    return ask(request, "status", {}, {"system": check.flag(request, "system") or None})


def list_hosts(request):
    """The hosts alone, with how much is on each, in short."""
    return ask(request, "listHosts", {}, {})


handle = serve({"status": ("operator", status), "listHosts": ("operator", list_hosts)})
