"""Tables, locks and objects, from grains that run at the same time."""

import pytest
from conftest import APPLICATIONS, Tested

PARALLEL = 24


@pytest.fixture(scope="module")
def tables(tested: Tested) -> Tested:
    tested.deploy(APPLICATIONS / "tables")
    return tested


def test_many_writers_lose_nothing(tables: Tested):
    who = list(range(PARALLEL))
    answers = tables.ask_all("tables/work", [{"do": "everything", "who": one} for one in who])
    assert [answer.status_code for answer in answers] == [200] * PARALLEL, [answer.text for answer in answers]
    tokens = sorted(answer.json() for answer in answers)
    assert tokens == list(range(1, PARALLEL + 1)), "each holder had a token of its own, none twice"
    seen = tables.ask("tables/work", {"do": "look"})
    assert seen["count"] == PARALLEL
    assert sorted(seen["order"]) == who
    assert sorted(seen["kinds"]) == [0, 1, 2]
    assert len(seen["by"]) == PARALLEL
    assert seen["total"] == sum(who)


@pytest.mark.slow
def test_the_lock_of_a_holder_that_died_is_taken_over_and_his_writes_are_refused(tables: Tested):
    assert tables.invoke("tables/holder").status_code == 500
    token = tables.ask("tables/work", {"do": "take_over"})
    assert token == 2
    message, written = tables.ask("tables/work", {"do": "write_late", "token": 1})
    assert 'lock "dead"' in message
    assert written == "by the second"


def test_objects_are_written_in_part_and_read_in_ranges(tables: Tested):
    size, hash_length, whole, middle, cut, value, keys, refused = tables.ask("tables/work", {"do": "objects"})
    assert (size, hash_length) == (2 << 20, 64)
    assert whole
    assert middle
    assert cut
    assert value == {"a": [1, 2]}
    assert keys == ["json", "large"]
    assert "version 99" in refused
