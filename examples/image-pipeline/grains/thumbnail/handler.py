"""Last grain: stores a thumbnail and, in a separate file, the metadata. Its route shows what is stored."""

import io
import json

import sand
from PIL import Image, ImageDraw

SIDE = 256
FILES = {"thumbnail.jpg": "image/jpeg", "metadata.json": "application/json"}


def handle(event, context):
    if "method" in event:
        return show(event["parameters"]["id"], event["parameters"]["file"], context)
    folder = event["photo"].rpartition("/")[0]
    metadata = event["metadata"]
    thumbnail = make_thumbnail(context.data.get(event["photo"]), metadata["objects"])
    context.data.put(f"{folder}/thumbnail.jpg", thumbnail)
    context.data.put(f"{folder}/metadata.json", json.dumps(metadata, indent=2).encode())
    return {
        "thumbnail": f"{folder}/thumbnail.jpg",
        "metadata": f"{folder}/metadata.json",
        "objects": sorted({found["name"] for found in metadata["objects"]}),
        "size": len(thumbnail),
    }


def make_thumbnail(data, objects):
    """A JPEG of at most SIDE pixels a side, with a frame around every recognised object."""
    with Image.open(io.BytesIO(data)) as image:
        picture = image.convert("RGB")
    scale = min(SIDE / picture.width, SIDE / picture.height, 1)
    small = picture.resize((round(picture.width * scale), round(picture.height * scale)))
    draw = ImageDraw.Draw(small)
    for found in objects:
        x, y, width, height = (value * scale for value in found["box"])
        draw.rectangle((x, y, x + width, y + height), outline=(255, 200, 0), width=1)
    out = io.BytesIO()
    small.save(out, "JPEG", quality=88)
    return out.getvalue()


def show(photo, file, context):
    stored = context.data.get(f"photos/{photo}/{file}") if file in FILES else None
    if stored is None:
        return {"status": 404, "body": f"there is no {file} of {photo}\n"}
    return sand.Response(stored, FILES[file])
