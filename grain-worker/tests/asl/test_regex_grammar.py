"""Patterns of `java.util.regex` by its documentation (`Pattern`, Java 25): what they match, and in what words they are none."""

import pytest
import regex

from sand.asl.regex_grammar import translated
from sand.asl.regex_scanner import PatternError
from sand.asl.regex_widths import MOST, Study, Width


def found(pattern: str, text: str, flags: str = "") -> list[str]:
    translation = translated(pattern, flags)
    compiled = regex.compile(translation.text, regex.VERSION1 | (regex.ASCII if translation.is_ascii else regex.UNICODE))
    return [match[0] for match in compiled.finditer(text)]


@pytest.mark.parametrize(
    ("pattern", "flags", "text", "expected"),
    [
        (".+", "", "a\r\nb\x85c\u2028d\ve", ["a", "b", "c", "d\ve"]),
        ("[^x]$", "", "a\r\n", ["a", "\n"]),
        ("a$", "m", "a\ra\na\u2029a", ["a"] * 4),
        ("^b", "m", "a\r\nb\rb", ["b", "b"]),
        (r"a\Z|a\z", "", "a\n", ["a"]),
        ("(?d)^.+$", "m", "a\r\nb", ["a\r", "b"]),
        (r"[\w&&[^a-y]]+", "", "axz_1é", ["z_1"]),
        ("[a-c[x]&&[^b]]+", "", "abcx", ["a", "cx"]),
        ("[^a&&b]", "", "ab", ["a", "b"]),
        ("[a&]", "", "a&", ["a", "&"]),
        ("[]a]+", "", "a]", ["a]"]),
        ("[a-]+", "", "a-", ["a-"]),
        (r"[\v-\x0d]", "", "\n\v\r", ["\v", "\r"]),
        ("k", "i", "kK\u212a", ["k", "K"]),
        ("(?iu)k", "", "kK\u212a", ["k", "K", "\u212a"]),
        ("[x-z]+", "i", "Xyz\u0178", ["Xyz"]),
        (r"\p{Lu}+", "i", "aÉ1", ["aÉ"]),
        (r"(é)\1", "i", "éÉéé", ["éé"]),
        (r"(a)\1", "i", "aA", ["aA"]),
        (r"\bé|\be\b", "", "é e e\u0301", ["e"]),
        (r"(?U)\w+", "", "aé٣", ["aé٣"]),
        (r"\Qa.\E.", "", "a.b axb", ["a.b"]),
        (r"\Q1\E{2}", "", "11", ["11"]),
        (r"a{2}{3}", "", "aaa", ["aa"]),
        ("{2}a", "", "a", ["a"]),
        (r"(?:a|ab){2}+c", "", "abac aac", ["aac"]),
        (r"(?<=a.*)c", "", "abc", ["c"]),
        (r"\N{LATIN SMALL LETTER E WITH ACUTE}", "", "é", ["é"]),
        (r"\ud83d\ude00", "", "😀", ["😀"]),
        (r"(?x)[a b] \# # c", "", "b#", ["b#"]),
        (r"(a)|b\2", "", "ab", ["a"]),
        (r"\R{2}|\X", "", "\r\n\r\ne\u0301", ["\r\n\r\n", "e\u0301"]),
        (r"(?:\R){2}", "", "\r\n", []),
    ],
)
def test_what_a_pattern_matches(pattern: str, flags: str, text: str, expected: list[str]) -> None:
    assert found(pattern, text, flags) == expected


@pytest.mark.parametrize(
    ("pattern", "sentence"),
    [
        ("*a", "Dangling meta character '*' near index 0\n*a\n^"),
        ("a**", "Dangling meta character '*' near index 2\na**\n  ^"),
        ("\t{y}", "Illegal repetition near index 2\n\t{y}\n\t ^"),
        ("a{3,2}", "Illegal repetition range near index 5\na{3,2}\n     ^"),
        ("a{3", "Unclosed counted closure near index 3\na{3"),
        ("[z-a]", "Illegal character range near index 3\n[z-a]\n   ^"),
        ("[a", "Unclosed character class near index 1\n[a\n ^"),
        (r"\y", "Illegal/unsupported escape sequence near index 1\n\\y\n ^"),
        ("(a", "Unclosed group near index 2\n(a"),
        ("a)", "Unmatched closing ')' near index 0\na)\n^"),
        ("(?P<n>a)", "Unknown inline modifier near index 2\n(?P<n>a)\n  ^"),
        (r"\p{Nope}", "Unknown character property name {Nope} near index 7\n\\p{Nope}\n       ^"),
        ("😀(", "Unclosed group near index 2\n😀(\n  ^"),
    ],
)
def test_in_which_words_a_pattern_is_none(pattern: str, sentence: str) -> None:
    with pytest.raises(PatternError) as refused:
        translated(pattern, "")
    assert str(refused.value) == sentence


@pytest.mark.parametrize("pattern", [r"a\b{g}", "(?c)a", r"(?<=(a{1,2}))b", r"(?<=a{1,2}+)b", r"(?i)(a)\X\1"])
def test_what_this_engine_cannot_match_it_refuses(pattern: str) -> None:
    with pytest.raises(PatternError, match="not supported"):
        translated(pattern, "")


def test_repetitions_that_would_fill_the_memory_are_refused() -> None:
    assert found("a{0,2147483647}b", "aab") == ["aab"]
    for pattern in ("a{2147483647}", "(?:(?:a{1000}){1000}){1000}"):
        with pytest.raises(PatternError, match="the limit is 50000"):
            translated(pattern, "")


def test_the_width_of_what_looks_behind_is_reckoned_in_32_bits() -> None:
    run = Width("run", 1)
    assert Study().of([run]).most == MOST
    assert Study().of([run, run]).never_fits and not Study().of([run, Width("chars", 1, 1)]).never_fits
    assert found("(?<=a+b+)c", "abc") == []
