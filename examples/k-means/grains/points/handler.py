"""Gives a worker its share of the points, drawn around centres that follow from their numbers: none is loaded from anywhere."""

import random


def handle(event, context):
    """:param event: {"seed", "count", "clusters"}; returns the points that the process keeps, as [x, y]"""
    chance = random.Random(event["seed"])
    points = []
    for number in range(event["count"]):
        cluster = number % event["clusters"]
        points.append([chance.gauss(10 * cluster, 1), chance.gauss(10 * (cluster % 2), 1)])
    context.process.state("points", points)
    return points
