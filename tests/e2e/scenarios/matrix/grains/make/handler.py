import numpy


def handle(event, context):
    return numpy.arange(event * event, dtype="float64").reshape(event, event)
