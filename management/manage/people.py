"""Who belongs to which tenant. `memberships/<user>` counts; `members/<tenant>` is its index, which housekeeping mends."""

from __future__ import annotations

from manage import store
from manage.reply import conflict
from manage.who import ROLES

# Counts the changes of a tenant's members; no user has such a name.
CHANGES = "#changes"


def members(request, tenant):
    """(user, row) of each."""
    return [(user, row) for user, row in store.Rows(request, "members", tenant).items() if user != CHANGES]


def tenants_of(request, user):
    """{tenant: role}"""
    return {tenant: row["role"] for tenant, row in store.Rows(request, "memberships", user).items()}


def first_tenant(request, user):
    """The one that he acts in until he says otherwise: that he has been in for longest. So nobody who makes him a member of
    another one brings him, and what he does next, there."""
    rows = store.Rows(request, "memberships", user).items()
    since = [(row.get("sinceMs", 0), tenant != "default", tenant) for tenant, row in rows]
    return min(since)[2] if since else "default"


def join(request, user, tenant, role):
    """He is a member from now on, or has another role. One owner stays."""
    row = {"schema": store.SCHEMA, "role": role, "sinceMs": store.now_ms(), "by": request.who.name}
    _change(request, tenant, user, role, lambda all_of_it: all_of_it.put(user, row))
    memberships = store.Rows(request, "memberships", user)
    before = memberships.get(tenant)
    memberships.put(tenant, {"role": role, "sinceMs": before.get("sinceMs", 0) if before else row["sinceMs"]})
    store.forget_access(request)
    return row


def leave(request, user, tenant):
    """What he may do is gone first, then the index."""
    _change(request, tenant, user, None, lambda all_of_it: all_of_it.delete(user))
    store.Rows(request, "memberships", user).delete(tenant)
    store.forget_access(request)


def _change(request, tenant, user, role, change):
    """All that change a tenant's members at once take turns, so that two owners do not make each other none."""
    table = request.context.data.table(f"members/{tenant}")
    _, version = table.versioned(CHANGES)
    owners = {name for name, row in members(request, tenant) if row["role"] == "owner"}
    if owners == {user} and role != "owner":
        raise conflict(f"'{user}' is the last owner of tenant '{tenant}': make another one first.")
    with table.transaction() as all_of_it:
        all_of_it.check(CHANGES, version)
        all_of_it.add(CHANGES)
        change(all_of_it)


def is_role(text):
    return isinstance(text, str) and text in ROLES
