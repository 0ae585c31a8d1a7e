r"""The properties that a pattern of `java.util.regex` names (`\p{Lu}`), as sets of `regex`, for `regex_classes`."""

from __future__ import annotations

import re

import regex

from sand.asl import regex_sets

_CATEGORIES = re.findall(
    r"\w+", "Cn Lu Ll Lt Lm Lo Mn Me Mc Nd Nl No Zs Zl Zp Cc Cf Co Cs Pd Ps Pe Pc Po Sm Sc Sk So Pi Pf L M N Z C P S LC"
)
_CASED = r"\p{Lowercase}\p{Uppercase}\p{Lt}"
_IDENTIFIER = r"\p{L}\p{Nl}\p{Sc}\p{Pc}"
_IGNORABLE = r"\x00-\x08\x0e-\x1b\x7f-\x9f\p{Cf}"
_HEX = r"\p{Nd}A-Fa-f\uff10-\uff19\uff21-\uff26\uff41-\uff46"

_ASCII = {
    "L1": r"\x00-\xff",
    "all": regex_sets.ANY,
    "ASCII": r"\x00-\x7f",
    "Alnum": "0-9A-Za-z",
    "Alpha": "A-Za-z",
    "Blank": r"\x20\t",
    "Cntrl": r"\x00-\x1f\x7f",
    "Digit": "0-9",
    "Graph": r"\x21-\x7e",
    "Lower": "a-z",
    "Print": r"\x20-\x7e",
    "Punct": r"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    "Space": r"\x20\t\n\x0b\f\r",
    "Upper": "A-Z",
    "XDigit": "0-9A-Fa-f",
    "LD": r"\p{L}\p{Nd}",
}
_JAVA = {
    "LowerCase": r"\p{Lowercase}",
    "UpperCase": r"\p{Uppercase}",
    "Alphabetic": r"\p{Alphabetic}",
    "Ideographic": r"\p{Ideographic}",
    "TitleCase": r"\p{Lt}",
    "Digit": r"\p{Nd}",
    "Defined": r"\P{Cn}",
    "Letter": r"\p{L}",
    "LetterOrDigit": r"\p{L}\p{Nd}",
    "JavaIdentifierStart": _IDENTIFIER,
    "JavaIdentifierPart": rf"{_IDENTIFIER}\p{{Nd}}\p{{Mc}}\p{{Mn}}{_IGNORABLE}",
    "UnicodeIdentifierStart": r"\p{ID_Start}",
    "UnicodeIdentifierPart": rf"\p{{ID_Continue}}{_IGNORABLE}",
    "IdentifierIgnorable": _IGNORABLE,
    "SpaceChar": r"\p{Z}",
    "Whitespace": r"\t-\r\x1c-\x20\u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000",
    "ISOControl": r"\x00-\x1f\x7f-\x9f",
    "Mirrored": r"\p{Bidi_Mirrored}",
}
_POSIX = {
    "ALPHA": r"\p{Alphabetic}",
    "LOWER": r"\p{Lowercase}",
    "UPPER": r"\p{Uppercase}",
    "SPACE": r"\p{Z}\t-\r\x85",
    "PUNCT": r"\p{P}",
    "XDIGIT": _HEX,
    "ALNUM": r"\p{Alphabetic}\p{Nd}",
    "CNTRL": r"\p{Cc}",
    "DIGIT": r"\p{Nd}",
    "BLANK": r"\p{Zs}\t",
    "GRAPH": r"[^\p{Z}\p{Cc}\p{Cs}\p{Cn}]",
    "PRINT": r"[^\p{Zl}\p{Zp}\p{Cc}\p{Cs}\p{Cn}]",
}
_UNICODE = {
    "ALPHABETIC": r"\p{Alphabetic}",
    "ASSIGNED": r"\P{Cn}",
    "CONTROL": r"\p{Cc}",
    "HEXDIGIT": _HEX,
    "IDEOGRAPHIC": r"\p{Ideographic}",
    "JOINCONTROL": r"\u200c\u200d",
    "LETTER": r"\p{L}",
    "LOWERCASE": r"\p{Lowercase}",
    "NONCHARACTERCODEPOINT": r"\p{Noncharacter_Code_Point}",
    "TITLECASE": r"\p{Lt}",
    "PUNCTUATION": r"\p{P}",
    "UPPERCASE": r"\p{Uppercase}",
    "WHITESPACE": r"\p{Z}\t-\r\x85",
    "WORD": r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d",
} | {name: rf"\p{{{name}}}" for name in ("EMOJI", "EMOJI_PRESENTATION", "EMOJI_MODIFIER", "EMOJI_MODIFIER_BASE")}
_UNICODE |= {name: rf"\p{{{name}}}" for name in ("EMOJI_COMPONENT", "EXTENDED_PICTOGRAPHIC")}
_UNDERSCORED = ("HEX_DIGIT", "JOIN_CONTROL", "NONCHARACTER_CODE_POINT", "WHITE_SPACE")

DIGIT, SPACE, WORD = _POSIX["DIGIT"], _POSIX["SPACE"], _UNICODE["WORD"]


def named(name: str, flags: frozenset[str]) -> str | None:
    """The items of the set; none, when there is no property of that name."""
    if name.startswith("In"):
        return _known("Block", name[2:])
    if name.startswith("Is"):
        return _unicode(name[2:], flags) or _plain(name[2:], flags) or _known("Script", name[2:])
    return (_posix(name, flags) if "U" in flags else None) or _plain(name, flags)


def valued(name: str, value: str, flags: frozenset[str]) -> str | None:
    """Of `name=value`."""
    if name in ("sc", "script"):
        return _known("Script", value)
    if name in ("blk", "block"):
        return _known("Block", value)
    return _plain(value, flags) if name in ("gc", "general_category") else None


def _plain(name: str, flags: frozenset[str]) -> str | None:
    is_caseless = "i" in flags
    if name in ("Lu", "Ll", "Lt") and is_caseless:
        return r"\p{Lu}\p{Ll}\p{Lt}"
    if name in _CATEGORIES:
        return rf"\p{{{name}}}" if name != "LC" else r"\p{Lu}\p{Ll}\p{Lt}"
    if name.startswith("java"):
        return _CASED if is_caseless and name[4:] in ("LowerCase", "UpperCase", "TitleCase") else _JAVA.get(name[4:])
    return _ASCII["Alpha"] if is_caseless and name in ("Lower", "Upper") else _ASCII.get(name)


def _posix(name: str, flags: frozenset[str]) -> str | None:
    return _CASED if "i" in flags and name.upper() in ("LOWER", "UPPER") else _POSIX.get(name.upper())


def _unicode(name: str, flags: frozenset[str]) -> str | None:
    upper = name.upper()
    if "i" in flags and upper in ("LOWERCASE", "UPPERCASE", "TITLECASE"):
        return _CASED
    return _UNICODE.get(upper.replace("_", "") if upper in _UNDERSCORED else upper) or _posix(name, flags)


def _known(kind: str, value: str) -> str | None:
    if not re.fullmatch("[A-Za-z][A-Za-z0-9_ -]*", value):
        return None
    items = rf"\p{{{kind}={value}}}"
    try:
        regex.compile(items)
    except regex.error:
        return None
    return items
