"""What JSONata's functions take, checked as the reference implementation does: null is a value of its own, and an argument that
does not fit is named by its place. The library reads signatures as it should, and checks by them loosely."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, NoReturn

from jsonata.functions import Functions as Library
from jsonata.jexception import JException
from jsonata.signature import Signature as LibrarySignature
from jsonata.utils import Utils

from sand.asl.query_numbers import ROUNDING, is_finite

_LETTERS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (str, "s"),
    (bool, "b"),
    ((int, float, Decimal), "n"),
    (list, "a"),
    (dict, "o"),
)


def _letter(value: Any) -> str:
    """In signatures; "m", missing, of nothing."""
    if value is None:
        return "m"
    if value is Utils.NULL_VALUE:
        return "l"
    if Utils.is_function(value) or Library.is_lambda(value) or Library.is_regex(value):
        return "f"
    return next((letter for types, letter in _LETTERS if isinstance(value, types)), "f")


class Signature(LibrarySignature):  # type: ignore[misc]
    def validate(self, args: Any, context: Any) -> list[Any]:
        """The arguments as the function takes them: the context where it stands in for one, what is no array as one of one."""
        given = "".join(map(_letter, args))
        matched = self._regex.fullmatch(given)
        if matched is None:
            self._refuse(given)
        valid: list[Any] = []
        at = 0
        for parameter, letters in zip(self._params, matched.groups(), strict=True):
            if not letters and parameter.context:
                if not re.fullmatch(parameter.regex, _letter(context)):
                    raise JException("T0411", -1, at + 1, self.function_name)
                valid.append(context)
                continue
            for letter in letters:
                argument = args[at]
                if parameter.type == "n" and not is_finite(argument) and self.function_name not in ROUNDING:
                    raise JException("D1001", 0, argument)
                valid.append(self._array(parameter.subtype, argument, letter, at) if parameter.type == "a" else argument)
                at += 1
        return valid

    def _array(self, of: str | None, argument: Any, letter: str, at: int) -> Any:
        if letter == "m":
            return None
        found = set(map(_letter, argument)) if letter == "a" else {letter}
        if of is not None and not found <= {of[0]}:
            raise JException("T0412", -1, at + 1, self.function_name, of)
        return argument if letter == "a" else [argument]

    def _refuse(self, given: str) -> NoReturn:
        """The place is that of the first argument that no parameter takes."""
        good = 0
        pattern = "^"
        for parameter in self._params:
            pattern += parameter.regex
            matched = re.match(pattern, given)
            if matched is None:
                break
            good = matched.end()
        raise JException("T0410", -1, good + 1, self.function_name)


def strict(signature: LibrarySignature | None) -> Signature | None:
    """The same, checked by these rules."""
    if signature is None or isinstance(signature, Signature):
        return signature
    made = Signature.__new__(Signature)
    made.__dict__.update(signature.__dict__)
    return made
