"""Quotas of a tenant: what it may have at most, and what it has. Without a row the defaults hold."""

from manage import Reply, check, expect, serve, store
from manage.names import tenant
from manage.reply import bad_request

# By name: the default (None: no limit), and the most that can be said.
LIMITS = {
    "applications": (None, 10_000),
    "instances": (None, 1_000_000),
    "memoryBytes": (None, 1 << 50),
    "requestsPerSecond": (None, 1_000_000),
    "storedBytes": (None, 1 << 60),
}
# What a tenant may do at all: another's code is kept from the hosts' network.
RIGHTS = {"network": False, "sourceBuilds": False, "packages": False}


def get(request):
    name = tenant(request)
    limits = _limits(store.Rows(request, "quotas").get(name))
    use = {"storedBytes": sum(row["storedBytes"] for _, row in store.Rows(request, "usage", name).items())}
    if name == request.who.tenant:
        use["applications"] = len(expect(request, "listApplications", {})["applications"])
    return Reply(200, {"tenant": name, "limits": limits, "use": use})


def put(request):
    """What is not said, or is null, has its default again."""
    name = tenant(request)
    body = check.body(request, "The body is an object of limits.", (*LIMITS, *RIGHTS), lambda it: f"There is no quota '{it}'.")
    row = {}
    for field, value in body.items():
        if value is None:
            continue
        if field in RIGHTS:
            if not isinstance(value, bool):
                raise bad_request(f'"{field}" is true or false.', f"/body/{field}")
        elif type(value) is not int or not 0 <= value <= LIMITS[field][1]:
            raise bad_request(f'"{field}" is a number from 0 to {LIMITS[field][1]}.', f"/body/{field}")
        row[field] = value
    store.Rows(request, "quotas").put(name, row)
    store.forget_access(request)
    return Reply(200, {"tenant": name, "limits": _limits(row)})


def _limits(row):
    defaults = {name: default for name, (default, _) in LIMITS.items()} | RIGHTS
    return defaults | store.without_schema(row or {})


handle = serve({"getQuotas": ("read", get), "setQuotas": ("operator", put)})
