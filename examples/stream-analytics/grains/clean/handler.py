"""A message's words: links, names, numbers and stop words are out."""

import re
from pathlib import Path

STOP_WORDS = frozenset((Path(__file__).parent / "stop-words.txt").read_text(encoding="utf-8").split())
LINK = re.compile(r"(?:https?://|www\.)\S+")
NAME = re.compile(r"@\w+")
WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")


def handle(event, context):
    """:param event: {"text", …}; returns {"words": [word]}"""
    text = NAME.sub(" ", LINK.sub(" ", event["text"])).lower().replace("\u2019", "'")
    return {"words": [word for word in WORD.findall(text) if word not in STOP_WORDS and len(word.split("'")[0]) > 1]}
