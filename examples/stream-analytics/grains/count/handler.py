"""How often each word stands in all messages."""

from collections import Counter


def handle(event, context):
    """:param event: {"messages": [{"words"} or {"language"}], "top": n}; returns counts, the most frequent words first"""
    kept = [message["words"] for message in event["messages"] if "words" in message]
    words = Counter(word for message in kept for word in message)
    others = Counter(message["language"] for message in event["messages"] if "words" not in message)
    context.logger.info("counted", messages=len(event["messages"]), words=words.total())
    # Of words that are as frequent the order is the alphabet's, so that the same stream gives the same answer.
    ranked = sorted(words.items(), key=lambda item: (-item[1], item[0]))[: event["top"]]
    return {
        "messages": len(event["messages"]),
        "kept": len(kept),
        "leftOut": dict(sorted(others.items())),
        "words": [{"word": word, "count": count} for word, count in ranked],
    }
