"""Regular expressions at random, most of them patterns, with texts that they may match: the letters, line ends and marks that
languages of patterns differ in."""

import random
from typing import Any

_ATOMS = ["a", "b", "K", "é", ".", "ab", r"\w", r"\W", r"\d", r"\s", r"\h", r"\R", r"\b", r"\B", "^", "$", r"\z", r"\Z", r"\n"]
_ATOMS += [r"\p{L}", r"\P{Lu}", r"\pN", r"\p{Alpha}", r"\p{IsLatin}", r"\p{javaLowerCase}", r"\x41", r"\x{e9}", r"\Qa.\E"]
_CLASSES = ["[ab]", "[^a]", "[a-c&&[^b]]", "[a[é]]", r"[\w&&\D]", r"[^\r\n]", "[a-z]", "[]a]", "[a&&b]", r"[\p{L}_]", r"[\s\S]"]
_OPENINGS = ["(", "(?:", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:", "(?s:", "(?<n>"]
_OFTEN = ["*", "+", "?", "{2}", "{1,2}", "{0,3}", "{2,}"]
_ODD = ["{y}", "{,2}", "*", "+", "(", ")", "[", "]", "}", "[z-a]", r"\y", r"\0", r"\07", r"\cA", r"\k<n>", r"\N"]
_ODD += [
    "(?#c)",
    "(?P<n>a)",
    "(?i)",
    "(?x)",
    "(?U)",
    "(?d)",
    "(?iu)",
    r"[a-\d]",
    r"[\b]",
    r"\p{Nope}",
    "a{3,2}",
    r"\1",
    r"\2",
    "&&",
    "#",
]
_TEXTS = ["a", "b", "K", "k", "A", "1", "_", " ", ".", "é", "É", "\n", "\r", "\r\n", "\x85", "\u2028", "e\u0301", "ab", "😀"]
_CALLS = ["$match($states.input, /{}/{})", "$split($states.input, /{}/{})", "$contains($states.input, /{}/{})"]
_CALLS += ["$replace($states.input, /{}/{}, '<$0>')"]


def case(seed: int) -> dict[str, Any]:
    """A definition of one state that matches, and its input."""
    chance = random.Random(seed)
    pattern = _pattern(chance, 3)
    if chance.random() < 0.3:
        at = chance.randrange(len(pattern) + 1)
        pattern = pattern[:at] + chance.choice(_ODD) + pattern[at:]
    if pattern.startswith("*"):  # which begins a comment
        pattern = f"|{pattern}"
    query = chance.choice(_CALLS).format(pattern, chance.choice(["", "", "i", "m", "im"]))
    state = {"Type": "Pass", "Output": "{% " + query + " %}", "End": True}
    text = "".join(chance.choice(_TEXTS) for _ in range(chance.randrange(12)))
    return {"definition": {"QueryLanguage": "JSONata", "StartAt": "S", "States": {"S": state}}, "input": text}


def _pattern(chance: random.Random, depth: int) -> str:
    kind = chance.random()
    if depth == 0 or kind < 0.35:
        return chance.choice(_ATOMS if chance.random() < 0.7 else _CLASSES)
    inner = _pattern(chance, depth - 1)
    if kind < 0.6:
        return inner + _pattern(chance, depth - 1)
    if kind < 0.7:
        return f"(?:{inner}|{_pattern(chance, depth - 1)})"
    if kind < 0.8:
        return f"{chance.choice(_OPENINGS)}{inner})"
    # Of one character: what groups keep of tries that failed is each library's own.
    return chance.choice(_CLASSES) + chance.choice(_OFTEN) + chance.choice(["", "", "?", "+"])
