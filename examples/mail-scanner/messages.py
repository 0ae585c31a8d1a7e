"""Messages to try the scanner on: a clean one from a file, and an infected one made from it here and now.

The infected one is never stored: a virus scanner on the way would rightly take it away.
"""

import io
import runpy
import sys
import zipfile
from email import message_from_bytes, policy
from pathlib import Path

FOLDER = Path(__file__).parent
CLEAN = FOLDER / "messages/clean.eml"


def clean() -> bytes:
    return CLEAN.read_bytes()


def infected() -> bytes:
    """The clean message from another sender, with a disguised link and the test signature in a zip in a zip."""
    signature = runpy.run_path(str(FOLDER / "grains/attachments/handler.py"))["TEST_SIGNATURE"]
    message = message_from_bytes(clean(), policy=policy.default)
    message["Reply-To"] = "ada@example.com"
    link = '<p><a href="http://198.51.100.7/login">https://example.org/login</a></p>'
    message.attach(part(link, subtype="html"))
    message.attach(part(zipped("inner.zip", zipped("invoice.com", signature)), name="invoice.zip"))
    return message.as_bytes()


def part(content, subtype="octet-stream", name=None):
    from email.message import EmailMessage

    made = EmailMessage(policy=policy.default)
    if isinstance(content, str):
        made.set_content(content, subtype=subtype)
    else:
        made.set_content(content, maintype="application", subtype=subtype, filename=name, disposition="attachment")
    del made["MIME-Version"]
    return made


def zipped(name: str, data: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return buffer.getvalue()


if __name__ == "__main__":
    sys.stdout.buffer.write(infected() if sys.argv[1:] == ["infected"] else clean())
