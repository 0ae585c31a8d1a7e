"""Texts that are JSONPaths, or nearly, and JSONPaths with documents that they lead into, from a seed."""

import random
from typing import Any

_WHOLE = (
    *("$.x[*].a", "$..a", "$..*", "$.x[0,1]", "$.x[-1:]", "$.x[0:2:2]", "$.x['a','b']", "$['x'][ * ]"),
    *("$.['x']", "$.x.f()", "$v.a[*]", "$$.x[*]", "$.x[?(@.a == 1)]", "$.x[?(@.a in ['b', 1])]"),
    *("$.x[0,-1].a", "$..x[-1]", "$.x[-2:-1]", "$.x.*.a", "$['x','y'].a"),
    *("$.x[?(!@.a && (@.b || @['c'] < 2))].a", "$.x[?(@.l.length() > 1)]", "$.x[?(@.a == 'it\\'s)]')]"),
    *('$.x[?(@.l == [1, "b"])]', "$.x[?(@.l empty false)]", "$.x[?(@.x[?(@.a)])]"),
)
_PARTS = (
    *(".", "..", "[", "]", "(", ")", "?", "@", "*", ":", ",", "'", '"', "a", "x", "0", "1", "-1", "-", "[0]", "[*]"),
    *("['a']", ".a", "[?(", ")]", "==", "<", "&&", "||", "!", "'b'", "{}", "/", "\\", "=", "$", "true", "null", "é"),
    *(" ", " == ", " in ", "[1, 2]", " size 2", "@.a", "[?(@.a == 1)]", "[0:1]", "[:]", ".length()", "[::2]", "[?"),
    *("-1.5", "1e3"),
)


def path(seed: int) -> str:
    chance = random.Random(seed)
    if seed % 2:
        return "$" + "".join(chance.choice(_PARTS) for _ in range(chance.randrange(1, 7)))
    text = list(chance.choice(_WHOLE))
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(1, len(text) + 1)
        text[at : at + chance.randrange(2)] = chance.choice(("", *_PARTS))
    return "".join(text)


_STEPS = (
    *(".a", ".b", "['a']", ".*", "[*]", "[0]", "[1]", "[-1]", "[0,1]", "[0,-1]", "[1,5]", "[1:]", "[:1]", "[-1:]", "[0:-1]"),
    *("[-2:1]", "['a','b']", "..a", "..*", "..[0]", "..[*]", "..['a','b']", "[?(@.a)]", "[?(@.b > 1)]", "..[?(@.a)]"),
    *("[?(@[0])]", "[?(@)]", "[?(@.a == $.b)]", ".length()", "[(@.length-1)]"),
)
_LEAVES = (None, True, 0, 1, 2.5, "", "a", "b c")


def walk(seed: int) -> tuple[str, Any]:
    """A path, and a document that it leads into, a few steps of it at the least as often as not."""
    chance = random.Random(seed)
    path = "$" + "".join(chance.choice(_STEPS) for _ in range(chance.randrange(1, 5)))
    return path, _document(chance, 4)


def _document(chance: random.Random, levels: int) -> Any:
    if levels == 0 or chance.random() < 0.15:
        return chance.choice(_LEAVES)
    parts = [_document(chance, levels - 1) for _ in range(chance.randrange(4))]
    return parts if chance.random() < 0.5 else dict(zip(chance.sample("abc", 3), parts, strict=False))
