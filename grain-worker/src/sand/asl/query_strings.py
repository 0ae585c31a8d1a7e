"""JSONata's functions of strings that can give much more than they are given, or use a regular expression: what they make is
counted before or while it is made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonata.functions import Functions as Library
from jsonata.jexception import JException
from jsonata.utils import Utils

from sand.asl.query_regex import Regex, groups
from sand.asl.query_run import check_bytes, current

FUNCTIONS = {
    "pad": ("<s-ns?:s>", "pad"),
    "join": ("<a<s>s?:s>", "join"),
    "split": ("<s-(sf)n?:a<s>>", "split"),
    "contains": ("<s-(sf):b>", "contains"),
    "match": ("<s-f<s:o>n?:a<o>>", "match_"),
    "replace": ("<s-(sf)(sf)n?:s>", "replace"),
}


class Functions:
    @staticmethod
    def pad(text: Any, width: Any, filler: Any) -> Any:
        if text is None or width is None:
            return text
        missing = abs(int(width)) - len(text)
        if missing <= 0:
            return text
        check_bytes(missing)
        current().budget.spend(missing // 64)
        fill = filler or " "
        padding = (fill * (missing // len(fill) + 1))[:missing]
        return padding + text if width < 0 else text + padding

    @staticmethod
    def join(texts: Any, separator: Any) -> Any:
        if texts is None:
            return None
        size = sum(map(len, texts)) + len(separator or "") * max(0, len(texts) - 1)
        check_bytes(size)
        current().budget.spend(size >> 8)
        return (separator or "").join(texts)

    @staticmethod
    def split(text: Any, separator: Any, limit: Any) -> Any:
        if text is None:
            return None
        most = _most(limit, "D3020")
        if isinstance(separator, Regex):
            parts, at = [], 0
            for match in _found(separator, text):
                if len(parts) == most:
                    break
                parts.append(text[at : match.start()])
                at = match.end()
            parts.append(text[at:])
        else:
            check_bytes(8 * (text.count(separator) if separator else len(text)))
            parts = text.split(separator) if separator else list(text)
            current().budget.spend(len(parts) // 16)
        return parts if most is None else parts[:most]

    @staticmethod
    def contains(text: Any, pattern: Any) -> Any:
        if text is None:
            return None
        return next(pattern.matches(text), None) is not None if isinstance(pattern, Regex) else pattern in text

    @staticmethod
    def match_(text: Any, pattern: Any, limit: Any) -> Any:
        if text is None:
            return None
        most = _most(limit, "D3040")
        described: list[Any] = []
        for match in _found(_regex(pattern), text):
            if len(described) == most:
                break
            described.append({"match": match[0], "index": match.start(), "groups": groups(match)})
        return Utils.create_sequence_from_iter(described)

    @staticmethod
    def replace(text: Any, pattern: Any, replacement: Any, limit: Any) -> Any:
        if text is None:
            return None
        if pattern == "":
            raise JException("D3010", -1, pattern)
        most = _most(limit, "D3011")
        out: list[str] = []
        size = at = 0
        for count, (start, end, match) in enumerate(_places(text, pattern)):
            if count == most:
                break
            with_ = _replaced(match, replacement)
            out += [text[at:start], with_]
            size += start - at + len(with_)
            at = end
            check_bytes(size)
            current().budget.spend(1 + (len(with_) >> 8))
        check_bytes(size + len(text) - at)
        return "".join([*out, text[at:]])


def _most(limit: Any, code: str) -> int | None:
    if limit is not None and limit < 0:
        raise JException(code, -1, limit)
    return None if limit is None else int(limit)


def _regex(pattern: Any) -> Regex:
    if not isinstance(pattern, Regex):
        raise JException("T1010", -1)
    return pattern


def _found(pattern: Regex, text: str) -> Iterator[Any]:
    """Raises JException for a match of nothing, which would match for ever."""
    for match in pattern.matches(text):
        if match.start() == match.end():
            raise JException("D1004", -1)
        yield match


def _places(text: str, pattern: Any) -> Iterator[tuple[int, int, Any]]:
    if isinstance(pattern, str):
        at = text.find(pattern)
        while at >= 0:
            yield at, at + len(pattern), None
            at = text.find(pattern, at + len(pattern))
    else:
        for match in _found(_regex(pattern), text):
            yield match.start(), match.end(), match


def _replaced(match: Any, replacement: Any) -> str:
    if match is None:
        return str(replacement)
    if isinstance(replacement, str):
        return _expanded(replacement, match)
    made = Library.func_apply(replacement, [{"match": match[0], "start": match.start(), "groups": groups(match)}])
    if not isinstance(made, str):
        raise JException("D3012", -1)
    return made


def _expanded(text: str, match: Any) -> str:
    """`$0` is the match, `$1` … its groups, as many digits as there can be; `$$` is a dollar sign."""
    count = match.re.groups
    digits = len(str(count)) if count else 1
    out: list[str] = []
    at = 0
    while at < len(text):
        following = text[at + 1 : at + 2]
        if text[at] != "$" or not (following == "$" or (following in "0123456789" and following)):
            out.append(text[at])
            at += 1
        elif following == "$":
            out.append("$")
            at += 2
        else:
            end = at + 1
            while end < len(text) and end <= at + digits and text[end].isdigit():
                end += 1
            if int(text[at + 1 : end]) > count and end > at + 2:
                end -= 1
            group = int(text[at + 1 : end])
            out.append((match[group] or "") if group <= count else "")
            at = end
    return "".join(out)
