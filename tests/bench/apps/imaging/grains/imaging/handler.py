"""A grain that does nothing after importing what an image grain imports."""

import cv2  # noqa: F401
import PIL.Image  # noqa: F401


def handle(event, context):
    return event
