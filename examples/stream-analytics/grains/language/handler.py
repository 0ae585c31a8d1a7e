"""Which language a message is written in, by the small words that every sentence needs."""

import re
from pathlib import Path

LINES = (Path(__file__).parent / "words.txt").read_text(encoding="utf-8").splitlines()
PROFILES = {language: frozenset(words.split()) for language, words in (line.split(": ") for line in LINES)}
WORD = re.compile(r"[^\W\d_]+")
LINK = re.compile(r"\S+://\S+|[@#]\w+")


def handle(event, context):
    """:param event: {"text", …}; returns it with "language": a code, or "unknown" when no word says so or two say as much"""
    words = WORD.findall(LINK.sub(" ", event["text"]).lower())
    hits = sorted(((sum(word in profile for word in words), language) for language, profile in PROFILES.items()), reverse=True)
    (most, language), (next_most, _) = hits[0], hits[1]
    return {**event, "language": language if most > next_most else "unknown"}
