"""One worker: in each round it finds the nearest centre of each of its points, sends the sums to the first worker and receives
the new centres. The first worker adds up the sums of all, its own among them."""

import math


def handle(event, context):
    """:param event: that of `start`, with "run" and "first"; returns {"centres", "rounds"}"""
    process = context.process
    points, workers, first, run = process.state("points"), event["workers"], event["first"], event["run"]
    if process.id == first:
        spread(process, workers, f"{run}/centres/0", points[: event["clusters"]])
    centres = process.recv(first, f"{run}/centres/0")
    for number in range(1, event["rounds"] + 1):
        process.send(first, f"{run}/sums/{number}", sums(points, centres))
        if process.id == first:
            # From each by its name: the order of an addition is the same whoever is quicker.
            partial = [process.recv(worker, f"{run}/sums/{number}") for worker in workers]
            spread(process, workers, f"{run}/centres/{number}", combine(partial, centres))
        before, centres = centres, process.recv(first, f"{run}/centres/{number}")
        if centres == before:
            break
    process.state("centres", centres)
    return {"centres": centres, "rounds": number}


def spread(process, workers, key, centres):
    for worker in workers:
        process.send(worker, key, centres)


def sums(points, centres):
    """For each centre how many points are nearest to it, and the sums of their x and y."""
    found = [[0, 0.0, 0.0] for _ in centres]
    for x, y in points:
        nearest = min(range(len(centres)), key=lambda index: math.dist((x, y), centres[index]))
        found[nearest][0] += 1
        found[nearest][1] += x
        found[nearest][2] += y
    return found


def combine(partial, centres):
    """The new centres; one that is nearest to no point stays where it is."""
    moved = []
    for index, centre in enumerate(centres):
        count = sum(sums[index][0] for sums in partial)
        x, y = (sum(sums[index][axis] for sums in partial) for axis in (1, 2))
        moved.append([x / count, y / count] if count else centre)
    return moved
