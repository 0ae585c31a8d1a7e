"""Random generators that a fork would copy: each child would draw the same numbers.

The worker looks for them once, after the import; each instance gives them new seeds before it waits. Only what was
imported is touched: `random`'s own generator is reseeded by Python itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

# A seed that a person wrote is small; one drawn from the operating system has 128 bits.
_DRAWN = 1 << 64

Reseed = Callable[[], None]


def find(path: tuple[str, ...]) -> list[Reseed]:
    """What each child has to call.

    :param path: the grain's folders, in whose modules generators are looked for
    """
    actions: list[Reseed] = []
    legacy = sys.modules.get("numpy.random")
    if legacy is not None:
        actions.append(legacy.seed)
    random = sys.modules.get("random")
    if legacy is None and random is None:
        return actions
    seen = {id(legacy.mtrand._rand)} if legacy is not None else set()
    for generator in _module_level(path):
        if id(generator) in seen:
            continue
        seen.add(id(generator))
        if random is not None and isinstance(generator, random.Random):
            actions.append(generator.seed)
        elif legacy is not None and isinstance(generator, legacy.Generator) and _drawn(generator.bit_generator):
            actions.append(_renew(generator.bit_generator))
        elif legacy is not None and isinstance(generator, legacy.RandomState) and _drawn(generator._bit_generator):
            actions.append(generator.seed)
    return actions


def _module_level(path: tuple[str, ...]) -> list[Any]:
    """Values of the user's modules, and attributes of the objects among them are not searched: their owners reseed."""
    folders = tuple(folder.rstrip("/") + "/" for folder in path)
    found = []
    for module in list(sys.modules.values()):
        if folders and (getattr(module, "__file__", None) or "").startswith(folders):
            found += [value for value in vars(module).values() if not isinstance(value, type)]
    return found


def _drawn(bit_generator: Any) -> bool:
    """Whether its seed came from the operating system: a seed that the grain chose is kept."""
    entropy = getattr(getattr(bit_generator, "seed_seq", None), "entropy", None)
    return isinstance(entropy, int) and entropy >= _DRAWN


def _renew(bit_generator: Any) -> Reseed:
    kind = type(bit_generator)

    def renew() -> None:
        bit_generator.state = kind().state

    return renew
