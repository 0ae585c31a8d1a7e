"""New users: the first one, who turns an open platform into a closed one, and those who were invited.

A user is a row of `users`; the first makes `state/accounts` too, on condition that there is none: of two at once one counts.
"""

import hashlib

from manage import Reply, check, passwords, people, serve, store
from manage.names import is_hash, new_user
from manage.reply import bad_request, conflict, denied, unknown

FIELDS = ("name", "password", "invitation")


def create(request):
    body = check.body(
        request, "The body is an object with name, password and invitation.", FIELDS, lambda it: f"A user has no '{it}'."
    )
    name = new_user(body.get("name"), "/body/name")
    state = store.Rows(request, "state")
    if state.get("accounts") is None:
        return _first(request, body, name, state)
    return _invited(request, body, name)


def _first(request, body, name, state):
    """Operates the platform, and owns the tenant that there was before there were any."""
    if not request.who.is_operator:
        raise denied("The first account is made on the platform's own machine, or with the operator's key.")
    _add(request, body, name, is_operator=True)
    if not state.add("accounts", {"sinceMs": store.now_ms(), "user": name}):
        store.Rows(request, "users").delete(name)
        raise conflict("Another account was made in this moment, and is the first one: ask there for an invitation.")
    people.join(request, name, "default", "owner")
    return Reply(201, {"user": name, "operator": True, "tenants": {"default": "owner"}})


def _invited(request, body, name):
    """The invitation is used up by who gets its row deleted, and is nobody else's then."""
    if body.get("invitation") is None:
        raise bad_request('"invitation" is missing: new users are invited by an owner of a tenant.', "/body/invitation")
    tenant, dot, secret = passwords.opened(request, body, "invitation").partition(".")
    hash = hashlib.sha256(secret.encode()).hexdigest()
    if not dot or not tenant.isalnum() or not is_hash(hash):
        raise _no_invitation()
    invitations = store.Rows(request, "invitations", tenant)
    invitation = invitations.get(hash)
    if invitation is None or invitation["expiresMs"] <= store.now_ms():
        raise _no_invitation()
    _add(request, body, name, is_operator=False)
    if not invitations.delete(hash):
        store.Rows(request, "users").delete(name)
        raise _no_invitation()
    people.join(request, name, tenant, invitation["role"])
    return Reply(201, {"user": name, "operator": False, "tenants": {tenant: invitation["role"]}})


def _no_invitation():
    return unknown("invitation", "There is no such invitation, or it was used, withdrawn, or is over.")


def _add(request, body, name, is_operator):
    now = store.now_ms()
    row = {"hash": passwords.new(request, body, "password"), "createdMs": now, "changedMs": now, "disabled": False}
    if not store.Rows(request, "users").add(name, {**row, "operator": is_operator}):
        raise conflict(f"There is a user '{name}' already.")


handle = serve({"createUser": (None, create)})
