"""Third grain: recognises objects with the trained cascades that come inside OpenCV, and appends their names."""

from pathlib import Path

import cv2
import numpy

cv2.setNumThreads(0)


def cascade(name):
    return cv2.CascadeClassifier(str(Path(cv2.data.haarcascades) / f"haarcascade_{name}.xml"))


# Loaded once by the grain's worker; every instance finds them in its memory.
FACE = cascade("frontalface_alt2")
EYES = cascade("eye_tree_eyeglasses")
SMILE = cascade("smile")
CAT = cascade("frontalcatface_extended")


def handle(event, context):
    data = numpy.frombuffer(context.data.get(event["photo"]), numpy.uint8)
    objects = recognise(cv2.imdecode(data, cv2.IMREAD_GRAYSCALE))
    context.logger.info("recognised", objects=[found["name"] for found in objects])
    return {**event, "metadata": {**event["metadata"], "objects": objects}}


def recognise(grey):
    """Names and boxes (x, y, width, height in pixels), largest first; eyes and smiles are looked for in faces only."""
    least = min(grey.shape) // 10
    found = []
    for face in find(FACE, grey, 1.1, 5, least):
        x, y, width, height = face
        found.append(("face", face))
        upper, lower = y + height * 6 // 10, y + height // 2
        for ex, ey, ew, eh in find(EYES, grey[y:upper, x : x + width], 1.05, 5, width // 8):
            found.append(("eye", (x + ex, y + ey, ew, eh)))
        for sx, sy, sw, sh in find(SMILE, grey[lower : y + height, x : x + width], 1.1, 25, width // 4)[:1]:
            found.append(("smile", (x + sx, lower + sy, sw, sh)))
    found += [("cat face", box) for box in find(CAT, grey, 1.1, 3, least)]
    return [{"name": name, "box": list(box)} for name, box in sorted(found, key=lambda one: -one[1][2] * one[1][3])]


def find(classifier, grey, scale, neighbours, least):
    boxes = classifier.detectMultiScale(grey, scale, neighbours, minSize=(least, least // 2))
    return [tuple(int(value) for value in box) for box in boxes]
