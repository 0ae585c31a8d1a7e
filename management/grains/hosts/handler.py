"""Hosts: what runs on them now. The platform's own, for who operates it."""

from manage import Reply, ask, check, expect, serve


def status(request):
    """The platform's own application too, when `system` says so."""
    return ask(request, "status", {}, {"system": check.flag(request, "system") or None})


def list_hosts(request):
    """The hosts alone, with how much runs on each, in short."""
    return Reply(200, {"hosts": [_short(host) for host in expect(request, "status", {})["hosts"]]})


def _short(host):
    sandboxes = host.get("sandboxes") or []
    return {
        "host": host.get("host"),
        "draining": bool(host.get("draining")),
        "problem": host.get("problem"),
        "sandboxes": len(sandboxes),
        "applications": sorted({each["application"] for each in sandboxes if each.get("application")}),
    }


handle = serve({"status": ("operator", status), "listHosts": ("operator", list_hosts)})
