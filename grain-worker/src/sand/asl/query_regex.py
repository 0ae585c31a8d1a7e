"""Regular expressions of JSONata, which mean what Java means by them, for a library that can be told when to give up."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from jsonata.jsonata import Jsonata
from jsonata.regex_engine import RegexFlags

from sand.asl.query_run import current, failure


class Regex(Jsonata.JFunction):  # type: ignore[misc]
    """Applied like a function, it gives the first match and a function for the next one."""

    def __init__(self, pattern: Any) -> None:
        super().__init__(None, None)
        self._pattern = pattern

    def matches(self, text: str) -> Iterator[Any]:
        """Raises StateError when it takes too long."""
        current().budget.spend(1 + len(text) // 16)
        at = 0
        while at <= len(text):
            match = self._search(text, at)
            if match is None:
                return
            yield match
            # What matches nothing is next looked for behind the next character: Java does not look twice at one place.
            at = match.end() + (match.end() == match.start())

    def _search(self, text: str, at: int) -> Any:
        run, before = current(), time.thread_time()
        try:
            if run.regex_seconds <= 0:
                raise TimeoutError
            return self._pattern.search(text, at, timeout=run.regex_seconds)
        except TimeoutError:
            message = "Expression evaluation timeout: Check for infinite loop (a regular expression tries too long)"
            raise failure(message) from None
        finally:
            run.regex_seconds -= time.thread_time() - before

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
    """Raises ValueError, in the words of the Java engine, when it is no pattern."""
    return Regex(_compiled(pattern, "i" * flags.case_insensitive + "m" * flags.multiline))


@lru_cache(maxsize=256)
def _compiled(pattern: str, flags: str) -> Any:
    # Imported by the first regular expression: few workflows have one, and all wait for what is imported.
    import regex

    from sand.asl.regex_grammar import translated
    from sand.asl.regex_scanner import PatternError

    translation = translated(pattern, flags)
    try:
        return regex.compile(translation.text, regex.VERSION1 | (regex.ASCII if translation.is_ascii else regex.UNICODE))
    except (regex.error, RecursionError, OverflowError) as e:
        raise PatternError(f"The regular expression is not supported: {e}") from None
