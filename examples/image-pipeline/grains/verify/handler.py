"""Second grain: refuses what the pipeline cannot use, and keeps the part of the metadata that is worth keeping."""

FORMATS = ("JPEG", "PNG", "WEBP")
SMALLEST, LARGEST = 32, 10_000
KEPT = ("format", "width", "height", "bytes", "sha256", "brightness", "colour")
KEPT_EXIF = ("DateTime", "Make", "Model", "Software", "ImageDescription")


class Unsuitable(Exception):
    """The photograph is not one that the pipeline takes; a workflow can catch it by this name."""


def handle(event, context):
    metadata = event["metadata"]
    if metadata["format"] not in FORMATS:
        raise Unsuitable(f"the format is {metadata['format']}, not one of {', '.join(FORMATS)}")
    for side in ("width", "height"):
        if not SMALLEST <= metadata[side] <= LARGEST:
            raise Unsuitable(f"the {side} is {metadata[side]} pixels, not {SMALLEST} to {LARGEST}")
    kept = {name: metadata[name] for name in KEPT}
    kept |= {name: metadata["exif"][name] for name in KEPT_EXIF if name in metadata["exif"]}
    return {"photo": event["photo"], "metadata": kept}
