"""Serves what pages refer to: style sheets, scripts, pictures. Names are by content, so a browser may keep them."""

import base64
import hashlib
import mimetypes
from pathlib import Path

FOLDER = Path(__file__).parent / "files"


def load():
    files = {}
    for path in FOLDER.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
            tag = '"' + hashlib.sha256(data).hexdigest()[:16] + '"'
            files[path.relative_to(FOLDER).as_posix()] = (kind, tag, base64.b64encode(data).decode())
    return files


FILES = load()


def handle(event, context):
    found = FILES.get(event["parameters"]["path"])
    if found is None:
        return {"status": 404, "body": f"there is no {event['path']}\n"}
    kind, tag, body = found
    headers = {"Content-Type": kind, "ETag": tag, "Cache-Control": "public, max-age=86400"}
    if event["headers"].get("if-none-match") == tag:
        return {"status": 304, "headers": headers}
    return {"status": 200, "headers": headers, "body": body, "isBase64Encoded": True}
