"""Members of a tenant and their roles, and invitations of those who are to come. One owner always stays.

Of an invitation's token the frontend draws, and shows once, here is the hash: `invitations/<tenant>`.
"""

from manage import Reply, check, people, serve, store
from manage.names import drawn, ends_ms, is_hash, tenant, user
from manage.reply import Problem, bad_request, unknown
from manage.who import ROLES

ROLE = '"role" is viewer, developer or owner.'
MOST_INVITATIONS = 100
LASTS_MS = 7 * 86_400_000
LONGEST_MS = 30 * 86_400_000


def list_members(request):
    name = tenant(request)
    return Reply(200, {"members": [_member(who, row) for who, row in people.members(request, name)]})


def put(request):
    """Another role for a member; or a user who is there already becomes one."""
    name, who = tenant(request), user(request.parameters.get("user"))
    body = check.body(
        request, "The body is an object with role.", ("role",), lambda it: f"A member has no '{it}': it has role."
    )
    role = _role(request, body)
    if store.Rows(request, "users").get(who) is None:
        raise unknown("user", f"There is no user '{who}' here: invite him.")
    return Reply(200, _member(who, people.join(request, who, name, role)))


def remove(request):
    name, who = tenant(request), user(request.parameters.get("user"))
    if who not in dict(people.members(request, name)):
        raise unknown("user", f"'{who}' is no member of tenant '{name}'.")
    people.leave(request, who, name)
    return Reply(204)


def invite(request):
    """Whoever shows the token within a week, or as long as is said, becomes a member."""
    name = tenant(request)
    expected = "The body is an object with role and expires."
    body = check.body(
        request, expected, ("role", "expires"), lambda it: f"An invitation has no '{it}': it has role and expires."
    )
    now = store.now_ms()
    role, expires = _role(request, body), ends_ms(body, "expires", LONGEST_MS, LASTS_MS, now)
    (hash,) = drawn(request, "hash")
    rows = store.Rows(request, "invitations", name)
    if sum(1 for _ in rows.items()) >= MOST_INVITATIONS:
        detail = f"Tenant '{name}' has {MOST_INVITATIONS} invitations, which is the limit: withdraw one."
        raise Problem(409, "conflict", "Conflict", detail, limit=MOST_INVITATIONS)
    row = {"role": role, "createdMs": now, "expiresMs": expires, "by": request.who.name}
    rows.put(hash, row)
    return Reply(201, _invitation(hash, row))


def list_invitations(request):
    rows = store.Rows(request, "invitations", tenant(request)).items()
    return Reply(200, {"invitations": [_invitation(hash, row) for hash, row in rows if row["expiresMs"] > store.now_ms()]})


def withdraw(request):
    name, id = tenant(request), request.parameters.get("id")
    if not is_hash(id) or not store.Rows(request, "invitations", name).delete(id):
        raise unknown("invitation", "There is no such invitation, or it was used or is over.")
    return Reply(204)


def _role(request, body):
    """One that may no more than who gives it: an admin's key makes no owner."""
    role = body.get("role")
    if not people.is_role(role):
        raise bad_request(ROLE, "/body/role")
    for scope in ROLES[role]:
        request.who.require(scope)
    return role


def _member(user, row):
    return {"user": user, **store.without_schema(row)}


def _invitation(hash, row):
    return {"id": hash, **store.without_schema(row)}


handle = serve(
    {
        "listMembers": ("admin", list_members),
        "putMember": ("admin", put),
        "removeMember": ("admin", remove),
        "inviteMember": ("admin", invite),
        "listInvitations": ("admin", list_invitations),
        "withdrawInvitation": ("admin", withdraw),
    }
)
