"""Parts of a translated pattern, and how they are put together, for `regex_grammar`."""

from __future__ import annotations

from dataclasses import dataclass, field

from sand.asl import regex_anchors, regex_sets
from sand.asl.regex_quantifiers import Quantifier
from sand.asl.regex_scanner import Scanner
from sand.asl.regex_widths import Study, Width, fixed

ONE = Width("chars", 1, 1)


@dataclass(frozen=True)
class Piece:
    """repeats: how many parts it has when every repetition that must be stands there, for `regex` writes them out.
    is_one: matches one character. is_tied: the way in which it was matched can be seen, for it has groups, or does not go back.
    is_grouped: a group that matches something, in brackets of its own."""

    text: str
    widths: list[Width] = field(default_factory=list)
    repeats: int = 1
    is_one: bool = False
    is_tied: bool = False
    is_grouped: bool = False


def one(items: str) -> Piece:
    """items: of a set of characters."""
    return Piece(regex_sets.matching(items), [ONE], is_one=True)


def in_sequence(pieces: list[Piece]) -> Piece:
    widths = [width for piece in pieces for width in piece.widths]
    text = "".join(piece.text for piece in pieces)
    return Piece(text, widths, sum(piece.repeats for piece in pieces), is_tied=any(piece.is_tied for piece in pieces))


def either(branches: list[Piece]) -> Piece:
    if len(branches) == 1:
        return branches[0]
    width = Width("branch", parts=[branch.widths for branch in branches])
    text = f"(?:{'|'.join(branch.text for branch in branches)})"
    return Piece(text, [width], sum(branch.repeats for branch in branches), is_tied=any(branch.is_tied for branch in branches))


def grouped(opening: str, inside: Piece) -> Piece:
    is_looking = opening[-1] in "=!"
    widths = [] if is_looking else [Width("part", parts=[inside.widths])]
    is_tied = inside.is_tied or opening in ("(", "(?>")
    return Piece(f"{opening}{inside.text})", widths, inside.repeats, is_tied=is_tied, is_grouped=opening in ("(", "(?:"))


def behind(scanner: Scanner, inside: Piece) -> Piece:
    """What a look-behind looks for: `regex` matches that backwards, which can be seen where there is more than one way."""
    study = Study().of(inside.widths)
    if not study.is_bounded:
        scanner.fail("Look-behind group does not have an obvious maximum length")
    if inside.is_tied and fixed(inside.widths) is None:
        scanner.fail("A group, or what does not go back, in a look-behind of several lengths is not supported")
    return Piece("(?!)" if study.never_fits else inside.text, [], inside.repeats, is_tied=inside.is_tied)


def repeated(piece: Piece, often: Quantifier) -> Piece:
    """Raises PatternError when it is more than this engine can hold."""
    repeats = max(1, often.least) * piece.repeats
    often.check(repeats)
    is_group = piece.is_grouped and often.suffix != "+"
    if often.is_optional:
        width = Width("branch", parts=[piece.widths, []]) if is_group else Width("optional", parts=[piece.widths])
    elif piece.is_one and often.is_open and not often.suffix:
        width = Width("run", often.least)
    else:
        width = Width("group" if is_group else "repeat", often.least, often.most, [piece.widths])
    return Piece(_repeated(piece, often), [width], repeats, is_tied=piece.is_tied or often.suffix == "+")


def _repeated(piece: Piece, often: Quantifier) -> str:
    """In Java what does not go back does so at each of its repetitions, and a repeated group of which it is sure how it matches
    does not go back to the first half of a line's end."""
    is_sure = regex_anchors.LINE_BREAK in piece.text and not often.is_optional and Study().of(piece.widths).is_sure
    if piece.is_one:
        return f"{piece.text}{often.text}"
    is_once = often.suffix == "+" or (piece.is_grouped and is_sure)
    return f"{'(?>' if is_once else '(?:'}{piece.text}){often.text}"
