"""Regular expressions of JSONata, by a library that can be told when to give up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import regex
from jsonata.jexception import JException
from jsonata.jsonata import Jsonata
from jsonata.regex_engine import RegexFlags

from sand.asl.query_run import current, failure

PATIENCE_S = 1.0
"""Seconds of CPU time of one search: sane ones take microseconds, and one that would try for ever must end."""


class Regex(Jsonata.JFunction):  # type: ignore[misc]
    """Applied like a function, it gives the first match and a function for the next one."""

    def __init__(self, pattern: Any) -> None:
        super().__init__(None, None)
        self._pattern = pattern

    def matches(self, text: str) -> Iterator[Any]:
        """Raises StateError when it takes too long."""
        current().budget.spend(1 + len(text) // 16)
        try:
            yield from self._pattern.finditer(text, timeout=PATIENCE_S)
        except TimeoutError:
            message = "Expression evaluation timeout: Check for infinite loop (a regular expression tries too long)"
            raise failure(message) from None

    def call(self, input: Any, args: Any) -> Any:
        return _next(self.matches(args[0])) if args and isinstance(args[0], str) else None

    def get_number_of_args(self) -> int:
        return 1


def _next(matches: Iterator[Any]) -> dict[str, Any] | None:
    match = next(matches, None)
    if match is None:
        return None
    following = Jsonata.JLambda(lambda: _next(matches))
    return {"match": match[0], "start": match.start(), "end": match.end(), "groups": groups(match), "next": following}


def groups(match: Any) -> list[Any]:
    """Those of a match, without that which is the whole."""
    return list(match.groups())


def compiled(pattern: str, flags: RegexFlags) -> Regex:
    # As Java's, which AWS has: \s, \w, \d and the case of letters are those of ASCII.
    wanted = regex.ASCII | (regex.IGNORECASE if flags.case_insensitive else 0) | (regex.MULTILINE if flags.multiline else 0)
    try:
        return Regex(regex.compile(pattern, wanted))
    except regex.error as e:
        raise JException("S0302", -1, str(e)) from None
