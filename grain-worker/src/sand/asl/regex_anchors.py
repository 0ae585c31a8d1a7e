r"""What matches between characters in a pattern of `java.util.regex`, written for `regex`: the begins and ends of lines, of
which there are more than `\n`, and the bounds of words, by the flags that hold there."""

from __future__ import annotations

from sand.asl import regex_properties, regex_sets

_END = r"\Z"
ANY = "(?s:.)"
LINE_BREAK = rf"(?:\r\n|[{regex_sets.VERTICAL}])"


def dot(flags: frozenset[str]) -> str:
    return ANY if "s" in flags else regex_sets.matching(regex_sets.negated(r"\n" if "d" in flags else regex_sets.LINE_ENDS))


def caret(flags: frozenset[str]) -> str:
    r"""With flag m not at the end of the text, and not between `\r` and `\n`."""
    if "m" not in flags:
        return r"\A"
    begins = r"(?<=\n)" if "d" in flags else r"(?<=[\n\x85\u2028\u2029])|(?<=\r)(?!\n)"
    return rf"(?:(?:\A|{begins})(?!{_END}))"


def dollar(flags: frozenset[str], is_multiline: bool) -> str:
    r"""Without flag m at the end of the text, and before a line's end that ends it."""
    if "d" in flags:
        return rf"(?=\n|{_END})" if is_multiline else rf"(?=\n?{_END})"
    if is_multiline:
        return rf"(?=[\r\x85\u2028\u2029]|(?<!\r)\n|{_END})"
    return rf"(?=(?:\r\n?|[\x85\u2028\u2029]|(?<!\r)\n)?{_END})"


def bound(flags: frozenset[str], is_inside: bool) -> str:
    r"""`\b` and `\B`: a mark on a letter or a digit belongs to a word, as these do not if they are beyond ASCII."""
    word = regex_sets.matching(regex_properties.WORD if "U" in flags else "0-9A-Za-z_")
    before = rf"(?<={word}|(?u:[\p{{L}}\p{{Nd}}]\p{{Mn}}+))"
    after = rf"(?={word}|(?u:(?<=[\p{{L}}\p{{Nd}}]\p{{Mn}}*)\p{{Mn}}))"
    different, alike = (rf"{before}{_not(after)}|{_not(before)}{after}", rf"{before}{after}|{_not(before)}{_not(after)}")
    return f"(?:{alike if is_inside else different})"


def _not(looking: str) -> str:
    return looking.replace("(?<=", "(?<!", 1) if looking.startswith("(?<=") else looking.replace("(?=", "(?!", 1)
