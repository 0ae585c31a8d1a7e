"""New users: the first one, who turns an open platform into a closed one, and those who were invited.

A user is a row of `users`; the first makes `state/accounts` too, on condition that there is none: of two at once one counts.
Whoever lost the answer asks again, and gets it once more: the password says that it is the same one. Until he is a member of
his first tenant, `member` of his row says of which: what was cut short is ended then.
"""

import hashlib

from manage import Reply, attempts, check, passwords, people, serve, store
from manage.names import is_hash, new_user
from manage.reply import bad_request, conflict, denied, unknown

FIELDS = ("name", "password", "invitation")
# For so long a request that made an account may come again. Later there is only signing in.
AGAIN_MS = 3_600_000


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
    made = _add(request, body, name, "default", "owner", is_operator=True)
    if not made and not _is_his(request, body, name):
        raise _taken(name)
    if not state.add("accounts", {"sinceMs": store.now_ms(), "user": name}) and state.get("accounts")["user"] != name:
        if made:
            store.Rows(request, "users").delete(name)
        raise conflict("Another account was made in this moment, and is the first one: ask there for an invitation.")
    return _joined(request, name)


def _invited(request, body, name):
    """The invitation is used up by who gets its row deleted, and is nobody else's then."""
    tenant, hash, invitation = _invitation(request, body)
    if invitation is None:
        if _is_his(request, body, name):
            return _joined(request, name)
        if body.get("invitation") is None:
            detail = '"invitation" is missing: new users are invited by an owner of a tenant. Who has an account signs in.'
            raise bad_request(detail, "/body/invitation")
        raise _no_invitation()
    invitations = store.Rows(request, "invitations", tenant)
    if _add(request, body, name, tenant, invitation["role"], is_operator=False):
        if not invitations.delete(hash):
            store.Rows(request, "users").delete(name)
            raise _no_invitation()
    elif _is_his(request, body, name, tenant):
        # The first time it was cut short in front of this.
        invitations.delete(hash)
    else:
        raise _taken(name)
    return _joined(request, name)


def _invitation(request, body):
    """Its tenant, its hash and its row. None: there is none that holds"""
    if body.get("invitation") is None:
        return None, None, None
    tenant, dot, secret = passwords.opened(request, body, "invitation").partition(".")
    hash = hashlib.sha256(secret.encode()).hexdigest()
    if not dot or not tenant.isalnum() or not is_hash(hash):
        return None, None, None
    row = store.Rows(request, "invitations", tenant).get(hash)
    return tenant, hash, None if row is None or row["expiresMs"] <= store.now_ms() else row


def _is_his(request, body, name, tenant=None):
    """Whether who asks made the account of that name just now, by its password. To guess it here locks the name as signing in
    does, and takes as long where there is no such account.

    :param tenant: only if he is not a member of it yet. None: in any case
    """
    row = store.Rows(request, "users").get(name)
    lately = row is not None and not row["disabled"] and store.now_ms() - row["createdMs"] <= AGAIN_MS
    if lately and tenant is not None and (row.get("member") or {}).get("tenant") != tenant:
        return False
    attempts.refuse_locked(request, name)
    if passwords.fits(row["hash"] if lately else None, passwords.opened(request, body, "password")):
        return True
    attempts.count(request, name)
    return False


def _joined(request, name):
    """The answer, also when it is given again. Who was taken out of the tenant since does not come back so."""
    users = store.Rows(request, "users")
    user = users.get(name)
    member = user.get("member")
    if member is not None:
        people.join(request, name, member["tenant"], member["role"])
        users.change(name, lambda _: {"member": None})
    return Reply(201, {"user": name, "operator": user["operator"], "tenants": people.tenants_of(request, name)})


def _taken(name):
    return conflict(f"There is a user '{name}' already: sign in, if that is you, or take another name.")


def _no_invitation():
    return unknown("invitation", "There is no such invitation, or it was used, withdrawn, or is over.")


def _add(request, body, name, tenant, role, is_operator):
    """Whether the name was free; then it is his."""
    now = store.now_ms()
    row = {"hash": passwords.new(request, body, "password"), "createdMs": now, "changedMs": now, "disabled": False}
    return store.Rows(request, "users").add(name, {**row, "operator": is_operator, "member": {"tenant": tenant, "role": role}})


handle = serve({"createUser": (None, create)})
