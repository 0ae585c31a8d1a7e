import numpy


def handle(event, context):
    assert isinstance(event, numpy.ndarray)
    return {"trace": numpy.trace(event), "shape": list(event.shape), "type": str(event.dtype), "mean": event.mean()}
