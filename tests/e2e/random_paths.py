"""Texts that are JSONPaths, or nearly, from a seed."""

import random

_WHOLE = (
    *("$.x[*].a", "$..a", "$..*", "$.x[0,1]", "$.x[-1:]", "$.x[0:2:2]", "$.x['a','b']", "$['x'][ * ]"),
    *("$.['x']", "$.x.f()", "$v.a[*]", "$$.x[*]", "$.x[?(@.a == 1)]", "$.x[?(@.a in ['b', 1])]"),
    *("$.x[?(!@.a && (@.b || @['c'] < 2))].a", "$.x[?(@.l.length() > 1)]", "$.x[?(@.a == 'it\\'s)]')]"),
    *('$.x[?(@.l subsetof [1, "b"])]', "$.x[?(@.l empty false)]", "$.x[?(@.x[?(@.a)])]"),
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
