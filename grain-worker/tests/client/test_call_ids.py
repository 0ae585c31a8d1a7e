"""Numbers of a client's calls: as executions have them."""

import os
import re

from sand.client.calls import new_id

LETTERS = "[0-9A-HJKMNP-TV-Z]"


def test_they_have_their_time_and_chance() -> None:
    assert new_id(0).startswith("0" * 10)
    assert new_id(1_700_000_000_000).startswith("01HF7YAT00")
    assert new_id((1 << 48) - 1).startswith("7ZZZZZZZZZ")
    drawn = [new_id(5) for _ in range(1000)]
    assert len(set(drawn)) == len(drawn)
    assert all(re.fullmatch(f"{LETTERS}{{26}}", id) for id in drawn)
    assert {id[at] for id in drawn for at in range(10, 26)} == set("0123456789ABCDEFGHJKMNPQRSTVWXYZ")


def test_who_is_forked_draws_others() -> None:
    new_id(5)
    end, other_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(other_end, new_id(5).encode())
        os._exit(0)
    os.close(other_end)
    with os.fdopen(end) as told:
        theirs = told.read()
    os.waitpid(child, 0)
    assert len(theirs) == 26 and theirs not in [new_id(5) for _ in range(100)]
