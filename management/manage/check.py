"""What a request must look like. Each function takes one thing out of it, whole and well-formed, or raises the problem that the
frontend's own operations answer with, and `pointer`: where in the request the mistake is.

What names something that is looked up (an application, a version, an execution) and cannot be such a name is not there: 404.
"""

from __future__ import annotations

import json
import re

from manage.reply import bad_request, unknown_application, unknown_version

# With its tenant before it, as ApplicationName.java has it. That it is one that the caller may name the frontend has checked.
_APPLICATION = re.compile(r"(?:[a-z][a-z0-9]{1,19}--)?(?=.{1,63}$)[a-z](?:-?[a-z0-9])*-?")
NAME = r"[A-Za-z][A-Za-z0-9_-]{0,62}"
# A path of '.' or '..' would lead elsewhere.
PROCESS = r"[A-Za-z0-9._~-]{1,128}"
_NAME = re.compile(NAME)
_PROCESS = re.compile(PROCESS)
SECRET = r"[A-Za-z_][A-Za-z0-9_.-]{0,127}"
_SECRET = re.compile(SECRET)
_EXECUTION = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_VERSION = re.compile(r"[0-9]{1,9}")
# What a terminal would take for a command, and halves of characters; lines may end.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_INTEGER = re.compile(r"[+-]?[0-9]{1,19}")
_QUANTITY = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,9})?)([A-Za-z]*)")
_BYTES = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "KB": 1000, "MB": 1000**2, "GB": 1000**3}
_MILLIS = {"ms": 1, "s": 1000, "": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


# --- names in the path


def application(request):
    name = request.parameters.get("app")
    if not isinstance(name, str) or not _APPLICATION.fullmatch(name):
        raise unknown_application(name)
    return name


def without_tenant(app):
    return app.partition("--")[2] or app


def version(request, app, qualifier):
    """A number or an alias."""
    if not isinstance(qualifier, str) or not (_VERSION.fullmatch(qualifier) or _NAME.fullmatch(qualifier)):
        raise unknown_version(app, qualifier)
    return qualifier


def is_name(text):
    """Of grains, workflows, aliases, queues and triggers."""
    return isinstance(text, str) and _NAME.fullmatch(text) is not None


def is_execution(text):
    return isinstance(text, str) and _EXECUTION.fullmatch(text) is not None


def alias(name, pointer):
    if not is_name(name):
        raise bad_request(f"An alias is {NAME}, not '{name}'.", pointer)
    return name


def process(name, pointer="/parameters/process"):
    if not _PROCESS.fullmatch(name) or name in (".", ".."):
        raise bad_request(f"A process's id is {PROCESS}, neither '.' nor '..', not '{name}'.", pointer)
    return name


def secret(name, pointer="/parameters/secret"):
    if not isinstance(name, str) or not _SECRET.fullmatch(name):
        raise bad_request(f"A secret's name is {SECRET}.", pointer)
    return name


# --- the query


def number(request, name, otherwise, least, most):
    text = request.query.get(name)
    if text is None:
        return otherwise
    if not _INTEGER.fullmatch(text) or not least <= int(text) <= most:
        raise bad_request(f"Query parameter '{name}' is a number from {least} to {most}, not '{text}'.", f"/query/{name}")
    return int(text)


def flag(request, name):
    text = request.query.get(name)
    if text is None or text == "false":
        return False
    if text in ("", "true"):
        return True
    raise bad_request(f"Query parameter '{name}' is true or false, not '{text}'.", f"/query/{name}")


def target(request, name):
    """A grain or workflow that a query asks for. None: any"""
    text = request.query.get(name)
    if text is not None and not is_name(text):
        raise bad_request(f"Query parameter '{name}' is a name, {NAME}, not '{text}'.", f"/query/{name}")
    return text


def one_of(request, name, known, refusal):
    """:param refusal: the sentence behind the value"""
    text = request.query.get(name)
    if text is not None and text not in known:
        raise bad_request(f"'{text}' {refusal}", f"/query/{name}")
    return text


def execution(request, name, refusal="is no execution's id."):
    text = request.query.get(name)
    if text is not None and not is_execution(text):
        raise bad_request(f"'{text}' {refusal}", f"/query/{name}")
    return text


def wanted(request, name):
    text = request.query.get(name)
    if not text:
        raise bad_request(f"The query parameter '{name}' is missing.", f"/query/{name}")
    return text


# --- the body


def body(request, expected, fields=None, unknown_field=None):
    """The object in the body; an empty one when there is no body.

    :param expected: the sentence that says what is to be in it
    :param fields: all that it may have; `unknown_field` gives the sentence about another
    """
    if request.body is None:
        return {}
    if not isinstance(request.body, dict):
        raise bad_request(expected, "/body")
    for name in request.body if fields is not None else ():
        if name not in fields:
            raise bad_request(unknown_field(name) if unknown_field else expected, f"/body/{escaped(name)}")
    return request.body


def positive(value, refusal, pointer):
    if type(value) is not int or not 0 < value < 1 << 31:
        raise bad_request(refusal, pointer)
    return value


def text(body, field, least, most, otherwise=None):
    """:param otherwise: what a field that is not there, or null, stands for; None: it has to be there"""
    value = body.get(field)
    if value is None and otherwise is not None:
        return otherwise
    if not isinstance(value, str) or not least <= len(value) <= most:
        raise bad_request(f'"{field}" is a text of {least} to {most} characters.', f"/body/{field}")
    if _CONTROL.search(value):
        raise bad_request(f'"{field}" is text, without control characters.', f"/body/{field}")
    return value


def shown(value):
    """A value in a sentence about it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def escaped(name):
    return name.replace("~", "~0").replace("/", "~1")


# --- quantities


def size(said):
    """Bytes. :raises ValueError: with what is wrong"""
    if isinstance(said, str) or type(said) is int:
        return _quantity(str(said), _BYTES, "a size like 512MiB, 64KiB or 1GiB")
    raise ValueError(f"{shown(said)} is not a size like 512MiB, 64KiB or 1GiB")


def duration_ms(text):
    """A bare number is of seconds. :raises ValueError: with what is wrong"""
    return _quantity(text, _MILLIS, "a duration like 500ms, 30s or 10m")


def _quantity(text, units, expected):
    found = _QUANTITY.fullmatch(text.strip())
    unit = found and units.get(found[2])
    if not unit:
        raise ValueError(f"'{text}' is not {expected}")
    whole, _, part = found[1].partition(".")
    value = (int(whole + part) * unit) // 10 ** len(part)
    if value >= 1 << 63:
        raise ValueError(f"'{text}' is too large")
    return value
