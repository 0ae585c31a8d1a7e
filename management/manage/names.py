"""Names of the management's own things: users, tenants, keys; and when something ends."""

from __future__ import annotations

import re

from manage import check
from manage.reply import bad_request, unknown

USER = r"[a-z][a-z0-9._-]{1,62}"
TENANT = r"[a-z][a-z0-9]{1,19}"
RESERVED = ("default", "sand", "platform")
_USER = re.compile(USER)
_TENANT = re.compile(TENANT)
_HASH = re.compile(r"[0-9a-f]{64}")
ID_CHARACTERS = "0123456789abcdefghijklmnopqrstuvwxyz"
_ID = re.compile(f"[{ID_CHARACTERS}]{{12}}")


def new_user(text, pointer):
    if not is_user(text):
        raise bad_request(f"A user's name is {USER}.", pointer)
    return text


def is_user(text):
    """Whether anybody can have that name."""
    return isinstance(text, str) and _USER.fullmatch(text) is not None


def user(text):
    """One who is looked for."""
    if not is_user(text):
        raise unknown("user", f"There is no user '{text}' here.")
    return text


def new_tenant(text, pointer):
    if not isinstance(text, str) or not _TENANT.fullmatch(text):
        raise bad_request(f"A tenant's name is {TENANT}.", pointer)
    if text in RESERVED:
        raise bad_request(f"The name '{text}' is the platform's own.", pointer)
    return text


def tenant(request):
    """The one in the path, which is the caller's own or the operator's to see."""
    text = request.parameters.get("tenant")
    if not isinstance(text, str) or not _TENANT.fullmatch(text):
        raise unknown("tenant", f"There is no tenant '{text}' here.")
    request.who.require_tenant(text)
    return text


def is_id(text):
    """Of a key."""
    return isinstance(text, str) and _ID.fullmatch(text) is not None


def is_hash(text):
    """SHA-256 in hexadecimal: all that is kept of a key, a session, an invitation."""
    return isinstance(text, str) and _HASH.fullmatch(text) is not None


def drawn(request, *names):
    """What the frontend has drawn for this request. Without it the frontend and the grain do not agree: no caller's fault."""
    for name in names:
        good = is_id if name == "id" else is_hash
        if not good(request.drawn.get(name)):
            raise ValueError(f"{request.operation} needs a drawn {name}, and the frontend sent none")
    return [request.drawn[name] for name in names]


def ends_ms(body, field, most, otherwise, now):
    """When something ends that is to hold for as long as the body says.

    :param now: from when on, milliseconds since 1970; :param most: milliseconds
    :param otherwise: milliseconds if nothing is said, None: it never ends
    """
    said = body.get(field)
    if said is None:
        return None if otherwise is None else now + otherwise
    try:
        if not isinstance(said, str):
            raise ValueError(f"{check.shown(said)} is not a duration like 12h or 90d")
        ms = check.duration_ms(said)
    except ValueError as wrong:
        raise bad_request(f"'{field}': {wrong}.", f"/body/{field}") from None
    if not 60_000 <= ms <= most:
        raise bad_request(f"'{field}' is from 1m to {most // 86_400_000}d, not '{said}'.", f"/body/{field}")
    return now + ms
