"""Random-looking bits that follow from the execution's id and the place where they are drawn: a replay draws the same."""

import hashlib
import uuid


def draw(execution_id: str, step: str, count: int) -> int:
    """64 bits."""
    return int.from_bytes(hashlib.blake2b(f"{execution_id}\0{step}\0{count}".encode(), digest_size=8).digest())


def uuid_of(execution_id: str, step: str) -> str:
    return str(uuid.UUID(int=draw(execution_id, step, -1) << 64 | draw(execution_id, step, -2), version=4))


def seeded(seed: int) -> float:
    """The first double of Java's 48-bit generator for the seed (documentation of java.util.Random), which AWS draws from."""
    state = (seed ^ 0x5DEECE66D) & ((1 << 48) - 1)
    bits = []
    for count in (26, 27):
        state = (state * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
        bits.append(state >> (48 - count))
    return ((bits[0] << 27) + bits[1]) / (1 << 53)
