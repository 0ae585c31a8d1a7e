"""What is drawn by chance is what the Java engine draws: the expected numbers are those of java.util.SplittableRandom(42)."""

from sand.asl import chance


def test_draws_the_numbers_of_javas_generator() -> None:
    numbers = chance.SplitMix(42)
    assert [numbers.between(0, 1000) for _ in range(3)] == [706, 145, 929]
    numbers = chance.SplitMix(42)
    assert [numbers.random() for _ in range(2)] == [0.7415648787718233, 0.1599103928769201]
    numbers = chance.SplitMix(42)
    assert [numbers.below(100) for _ in range(3)] == [31, 56, 81]
    assert chance.SplitMix(42).between(-(1 << 62), 1 << 62) == -155600522526888299
    assert chance.SplitMix(42).between(5, 5 + 1024) == 666


def test_ids_are_of_version_4_and_follow_from_their_place() -> None:
    first = chance.uuid_of("execution", "Map[0]")
    assert first[14] == "4" and first[19] in "89ab"
    assert first == chance.uuid_of("execution", "Map[0]") != chance.uuid_of("execution", "Map[1]")
