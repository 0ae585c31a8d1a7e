"""Passwords: opened from the box that the frontend sealed them in, and kept as argon2id hashes alone.

In a request's record there is the box, which opens for that request and no other. Only grains that need it import this.
"""

from __future__ import annotations

import unicodedata

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from manage.ask import expect
from manage.reply import bad_request

LEAST, MOST = 10, 1024
HASHER = PasswordHasher(time_cost=3, memory_cost=19 * 1024, parallelism=1)
# Of no password: who asks for a user that is not there waits as long as for one who is.
NOBODYS = "$argon2id$v=19$m=19456,t=3,p=1$GbKmsNbDA4YL0sYra3iUzw$DY5yh17ExUIFXTECXgZOqQ33CD9XHztvriRyABmlixk"


def opened(request, body, field):
    """What the caller wrote there."""
    box = body.get(field)
    if not isinstance(box, str) or not 1 <= len(box) <= 8192:
        raise bad_request(f'"{field}" is missing.', f"/body/{field}")
    return expect(request, "openSealed", {}, body={"pointer": f"/{field}", "box": box})["value"]


def new(request, body, field):
    """The hash of a password that somebody chose."""
    password = normal(opened(request, body, field))
    if not LEAST <= len(password) <= MOST:
        raise bad_request(f"A password has {LEAST} to {MOST} characters.", f"/body/{field}")
    return HASHER.hash(password)


def normal(password):
    """As RFC 8265 has it (OpaqueString): one keyboard writes an accent into the letter, another behind it."""
    return unicodedata.normalize("NFC", password)


def fits(hash, password):
    """:param hash: None: there is no such user, and nothing fits"""
    # One that was kept before passwords were normalised is that of what was typed.
    return any([_fits(hash, one) for one in dict.fromkeys((normal(password), password))])


def _fits(hash, password):
    try:
        return HASHER.verify(hash or NOBODYS, password) and hash is not None
    except (VerificationError, InvalidHashError):
        return False


def renewed(hash, password):
    """What is to be kept in place of a hash that the password fits. None: it is as one that is made today."""
    normalised = normal(password)
    if HASHER.check_needs_rehash(hash) or (normalised != password and not _fits(hash, normalised)):
        return HASHER.hash(normalised)
    return None
