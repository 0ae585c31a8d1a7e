"""The messages to look at: those of the event, or the ones that came with the application."""

from pathlib import Path

MOST = 1000
SAMPLES = (Path(__file__).parent / "samples.txt").read_text(encoding="utf-8").splitlines()


def handle(event, context):
    """:param event: {"texts"?: [text], "language"?: code, "top"?: n}; returns the same, complete"""
    event = event or {}
    texts = event.get("texts", SAMPLES)
    if not isinstance(texts, list) or len(texts) > MOST or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"texts is a list of at most {MOST} texts")
    return {"texts": texts, "language": event.get("language", "en"), "top": int(event.get("top", 20))}
