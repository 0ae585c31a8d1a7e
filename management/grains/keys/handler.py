"""API keys of a tenant. The frontend draws a key and shows it once; what is kept is its hash, and what it may.

A key may no more than who made it, and no longer: one that a key made ends with it, and is revoked with it.
`keys/<first character of its id>` has the row, `keys-of/<tenant>` says which are whose. When one was last used the frontends
note in `key-use`.
"""

from manage import Reply, check, serve, store
from manage.names import drawn, ends_ms, is_id
from manage.reply import Problem, bad_request, denied, unknown

SCOPES = ("invoke", "deploy", "read", "admin")
MOST = 200
LONGEST_MS = 400 * 86_400_000


def list_keys(request):
    used = dict(_used(request).items())
    found = [(id, _rows(request, id).get(id)) for id, _ in _index(request).items()]
    return Reply(200, {"keys": [_shown(id, row, used.get(id)) for id, row in found if row and not row["revokedMs"]]})


def create(request):
    expected = "The body is an object with name, scopes and expires."
    body = check.body(
        request, expected, ("name", "scopes", "expires"), lambda it: f"A key has no '{it}': it has name, scopes and expires."
    )
    name = check.text(body, "name", 1, 100)
    scopes = _scopes(request, body.get("scopes"))
    now = store.now_ms()
    maker = _maker(request)
    expires = _ends_with(maker, ends_ms(body, "expires", LONGEST_MS, None, now))
    id, hash = drawn(request, "id", "hash")
    if sum(1 for _ in _index(request).items()) >= MOST:
        detail = f"Tenant '{request.who.tenant}' has {MOST} keys, which is the limit: revoke one."
        raise Problem(409, "conflict", "Conflict", detail, limit=MOST)
    row = {"hash": hash, "tenant": request.who.tenant, "name": name, "scopes": scopes, "createdMs": now}
    row |= {"expiresMs": expires, "revokedMs": None, "by": request.who.name, "madeBy": request.who.id if maker else None}
    # The index first: a row that no list shows could not be revoked.
    _index(request).put(id, {})
    _rows(request, id).put(id, row)
    if maker and _maker(request)["revokedMs"]:  # meanwhile, when this one was not there to go with it
        _end(request, id)
        _index(request).delete(id)
        raise denied("The key that this was asked with was revoked.")
    return Reply(201, _shown(id, row, None))


def get(request):
    id, row = _own(request)
    return Reply(200, _shown(id, row, _used(request).get(id)))


def revoke(request):
    """With those that it made. They stay in no list, and their rows until they would have ended, so that they are told as
    revoked. What was cut short is asked for again: this one is in the index until all of it is done."""
    id = request.parameters.get("key")
    if not is_id(id) or _index(request).get(id) is None:
        raise unknown("key", f"Tenant '{request.who.tenant}' has no key {id}.")
    _end(request, id)  # first, so that it makes no more
    known = {other: _rows(request, other).get(other) for other, _ in _index(request).items()}
    ending = [id]
    for one in ending:
        ending += [other for other, row in known.items() if row and row.get("madeBy") == one]
    for one in ending[1:]:
        _end(request, one)
    store.forget_access(request)
    for one in reversed(ending):
        _index(request).delete(one)
        _used(request).delete(one)
    return Reply(204)


def _end(request, id):
    _rows(request, id).change(id, lambda row: {"revokedMs": row["revokedMs"] or store.now_ms()})


def _maker(request):
    """The row of the key that this is asked with. None: a human asks, or the platform's own machine"""
    return _rows(request, request.who.id).get(request.who.id) if request.who.kind == "key" else None


def _ends_with(maker, expires):
    """When a key ends that is to end then. None: it never does"""
    last = maker and maker["expiresMs"]
    if last is None:
        return expires
    if expires is not None and expires > last:
        raise denied("A key lasts no longer than the key that makes it: leave 'expires' out, and both end at once.", limit=last)
    return last if expires is None else expires


def _scopes(request, asked):
    if not isinstance(asked, list) or not asked or any(scope not in SCOPES for scope in asked if isinstance(scope, str)):
        raise bad_request(f'"scopes" is a list of {", ".join(SCOPES)}.', "/body/scopes")
    if not all(isinstance(scope, str) for scope in asked):
        raise bad_request(f'"scopes" is a list of {", ".join(SCOPES)}.', "/body/scopes")
    missing = [scope for scope in SCOPES if scope in asked and scope not in request.who.scopes]
    if missing:
        raise denied(f"A key may no more than who makes it, who has not the scope '{missing[0]}'.", scope=missing[0])
    return [scope for scope in SCOPES if scope in asked]


def _own(request):
    id = request.parameters.get("key")
    row = _rows(request, id).get(id) if is_id(id) else None
    if row is None or row["tenant"] != request.who.tenant or row["revokedMs"]:
        raise unknown("key", f"Tenant '{request.who.tenant}' has no key {id}.")
    return id, row


def _rows(request, id):
    return store.Rows(request, "keys", id[0])


def _index(request):
    return store.Rows(request, "keys-of", request.who.tenant)


def _used(request):
    return store.Rows(request, "key-use")


def _shown(id, row, used):
    return {"id": id, "madeBy": None, **store.without_schema(row, "hash", "revokedMs"), "usedMs": used and used["usedMs"]}


handle = serve(
    {
        "listKeys": ("admin", list_keys),
        "createKey": ("admin", create),
        "getKey": ("admin", get),
        "revokeKey": ("admin", revoke),
    }
)
