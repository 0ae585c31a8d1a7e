"""Quotas of a tenant: what it may have at most, and what it has. Without a row there is no limit."""

from manage import Reply, check, expect, serve, store
from manage.names import tenant
from manage.reply import bad_request, unknown
from sand.errors import Conflict

# By name the most that can be said; without a number there is no limit. Frontends and hosts hold a tenant to them.
LIMITS = {
    "applications": 10_000,
    "requestsPerSecond": 1_000_000,
    "instances": 100_000,
    "memoryBytes": 1 << 50,
    "storedBytes": 1 << 50,
}


def get(request):
    name = _known(request)
    limits = _limits(store.Rows(request, "quotas").get(name))
    asked = {"tenant": name}
    used = expect(request, "getUse", {}, asked)
    use = {
        "applications": len(expect(request, "listApplications", {}, asked)["applications"]),
        # Each host has the limit: what counts is the one that has most.
        **{what: max((host[what] for host in used["hosts"]), default=0) for what in ("instances", "memoryBytes")},
        "storedBytes": used["storedBytes"],
    }
    return Reply(200, {"tenant": name, "limits": limits, "use": use})


def _known(request):
    name = tenant(request)
    if name != "default" and store.Rows(request, "tenants").get(name) is None:
        raise unknown("tenant", f"There is no tenant '{name}' here.")
    return name


def put(request):
    """All of them: what is not said, or is null, has no limit again. With `keep` what is not said stays as it is."""
    name = _known(request)
    said = _said(request)
    keep = check.flag(request, "keep")
    rows = store.Rows(request, "quotas")
    while True:
        before, version = rows.versioned(name)
        wanted = {**(store.without_schema(before or {}) if keep else {}), **said}
        row = {field: limit for field, limit in wanted.items() if limit is not None}
        try:
            rows.put(name, row, version)
        except Conflict:
            continue  # somebody else set one meanwhile, which is to stay
        return Reply(200, {"tenant": name, "limits": _limits(row)})


def _limits(row):
    return dict.fromkeys(LIMITS) | store.without_schema(row or {})


def _said(request):
    """Limits by name, as the body has them. None: no limit"""
    body = check.body(request, "The body is an object of limits.", LIMITS, lambda it: f"There is no quota '{it}'.")
    for field, value in body.items():
        if value is not None and (type(value) is not int or not 0 <= value <= LIMITS[field]):
            raise bad_request(f'"{field}" is a number from 0 to {LIMITS[field]}.', f"/body/{field}")
    return body


handle = serve({"getQuotas": ("read", get), "setQuotas": ("operator", put)})
