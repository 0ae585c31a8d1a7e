"""Shares numpy with its neighbour: the supervisor imports it once (SAND 3.1)."""

import numpy


def handle(event, context):
    return float(numpy.arange(10).sum())
