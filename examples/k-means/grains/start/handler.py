"""Runs in the first worker's process: starts `work` in all of them, at the same time, and waits for their ends."""


def handle(event, context):
    """:param event: {"workers": processes that have their points, "clusters", "rounds"}; returns the centres and the rounds"""
    process = context.process
    # What one run leaves unread when it fails is not the next one's.
    asked = {**event, "run": context.execution_id, "first": process.id}
    calls = [process.invoke(worker, "work", asked) for worker in event["workers"]]
    results = [call.result() for call in calls]
    if any(result != results[0] for result in results):
        raise RuntimeError("workers have different centres")
    return results[0]
