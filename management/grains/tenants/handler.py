"""Tenants: whose applications, keys and members are apart from everybody else's. `default` is there without a row."""

from manage import Reply, check, expect, people, serve, store
from manage.names import new_tenant, tenant
from manage.reply import bad_request, conflict, unknown

STATES = ("active", "suspended")
DEFAULT = {"title": "default", "createdMs": 0, "state": "active"}
# What goes with a tenant, but for members, keys and applications: those have to be gone already.
KEPT = ("moves", "armed", "invitations", "keys-of")


def list_tenants(request):
    """All of them for the operator; else those that the user is a member of, or the key is of."""
    known = {"default": DEFAULT, **dict(store.Rows(request, "tenants").items())}
    if not request.who.is_operator:
        mine = people.tenants_of(request, request.who.user) if request.who.user else {request.who.tenant: None}
        known = {name: row for name, row in known.items() if name in mine}
    return Reply(200, {"tenants": [_shown(name, row) for name, row in sorted(known.items())]})


def create(request):
    """Who has signed in and makes it is its first owner; whoever comes with a key invites one."""
    expected = "The body is an object with name and title."
    body = check.body(request, expected, ("name", "title"), lambda it: f"A tenant has no '{it}': it has name and title.")
    name = new_tenant(body.get("name"), "/body/name")
    row = {"title": check.text(body, "title", 0, 100, name), "createdMs": store.now_ms(), "state": "active"}
    if not store.Rows(request, "tenants").add(name, row):
        raise conflict(f"There is a tenant '{name}' already.")
    if request.who.user:
        people.join(request, request.who.user, name, "owner")
    return Reply(201, _shown(name, row))


def get(request):
    name = tenant(request)
    return Reply(200, _shown(name, _there(request, name)))


def change(request):
    """A suspended tenant's keys and sessions open nothing; what it has stays."""
    name = tenant(request)
    body = check.body(
        request, "The body is an object with title and state.", ("title", "state"), lambda it: f"A tenant has no '{it}'."
    )
    wish = {"title": check.text(body, "title", 1, 100)} if "title" in body else {}
    if "state" in body:
        if body["state"] not in STATES:
            raise bad_request('"state" is active or suspended.', "/body/state")
        if name == "default" and body["state"] != "active":
            raise conflict("Tenant 'default' is whose the platform is: it stays active.")
        wish["state"] = body["state"]
    rows = store.Rows(request, "tenants")
    if name == "default":
        rows.add(name, DEFAULT)
    row = rows.change(name, lambda _: wish)
    if row is None:
        raise unknown("tenant", f"There is no tenant '{name}' here.")
    store.forget_access(request)
    return Reply(200, _shown(name, row))


def delete(request):
    """One that is empty."""
    name = tenant(request)
    _there(request, name)
    if name == "default":
        raise conflict("Tenant 'default' is whose the platform is: it stays.")
    left = len(expect(request, "listApplications", {}, {"tenant": name})["applications"])
    if left:
        raise conflict(f"Tenant '{name}' has {left} applications: delete these first.", actual=left)
    for user, _ in people.members(request, name):
        store.Rows(request, "memberships", user).delete(name)
    for id, _ in store.Rows(request, "keys-of", name).items():
        store.Rows(request, "keys", id[0]).delete(id)
    for partition in (*KEPT, "members"):
        rows = store.Rows(request, partition, name)
        for key, _ in list(rows.items()):
            rows.delete(key)
    store.Rows(request, "quotas").delete(name)
    store.Rows(request, "tenants").delete(name)
    store.forget_access(request)
    return Reply(204)


def _there(request, name):
    row = store.Rows(request, "tenants").get(name) or (DEFAULT if name == "default" else None)
    if row is None:
        raise unknown("tenant", f"There is no tenant '{name}' here.")
    return row


def _shown(name, row):
    return {"tenant": name, **store.without_schema(row)}


handle = serve(
    {
        "listTenants": ("read", list_tenants),
        "createTenant": ("operator", create),
        "getTenant": ("read", get),
        "changeTenant": ("operator", change),
        "deleteTenant": ("operator", delete),
    }
)
