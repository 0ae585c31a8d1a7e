"""First grain: keeps the photograph in the data layer, so that only its key travels on, and reads its metadata."""

import hashlib
import io

from PIL import ExifTags, Image, ImageStat

PHOTO = "photos/{}/original"


def handle(event, context):
    """:param event: the bytes of an image file"""
    data = bytes(event)
    key = PHOTO.format(context.execution_id)
    with Image.open(io.BytesIO(data)) as image:
        metadata = read_metadata(image, data)
    context.data.put(key, data)
    context.logger.info("extracted", format=metadata["format"], fields=len(metadata))
    return {"photo": key, "metadata": metadata}


def read_metadata(image, data):
    small = image.convert("RGB").resize((64, 64))
    return {
        "format": image.format,
        "mediaType": image.get_format_mimetype(),
        "width": image.width,
        "height": image.height,
        "mode": image.mode,
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "brightness": round(ImageStat.Stat(small.convert("L")).mean[0] / 255, 3),
        "colour": "#{:02x}{:02x}{:02x}".format(*(round(value) for value in ImageStat.Stat(small).mean)),
        "dpi": [round(float(value)) for value in image.info.get("dpi", ())],
        "progressive": bool(image.info.get("progressive")),
        "exif": {ExifTags.TAGS.get(tag, hex(tag)): str(value)[:200] for tag, value in image.getexif().items()},
    }
