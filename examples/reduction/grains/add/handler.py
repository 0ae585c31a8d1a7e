"""A worker's function: adds a vector to the sum that the process keeps. Nothing is loaded from anywhere, nothing stored."""


def handle(event, context):
    """:param event: a list of numbers, as long as those before it; returns how many vectors there were"""
    process = context.process
    kept = process.state("sum", default={"count": 0, "vector": [0] * len(event)})
    if len(kept["vector"]) != len(event):
        raise ValueError(f"a vector of {len(event)} numbers cannot be added to one of {len(kept['vector'])}")
    vector = [one + other for one, other in zip(kept["vector"], event, strict=True)]
    process.state("sum", {"count": kept["count"] + 1, "vector": vector})
    return kept["count"] + 1
