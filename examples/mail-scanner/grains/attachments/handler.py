"""Looks into attachments for the industry's test signature and for programs that call themselves documents."""

import base64
import hashlib
import io
import zipfile

# The anti-virus test string, backwards, so that this file is not taken for an infected one.
TEST_SIGNATURE = ("*H+H$!" + "ELIF-TSET-SURIVITNA-DRADNATS-RACIE$}7)CC7)^P(45XZP\\4[PA@%P!O5X")[::-1].encode()
PROGRAMS = {b"MZ": "a Windows program", b"\x7fELF": "a Linux program", b"#!": "a script"}
DOCUMENTS = (".pdf", ".doc", ".docx", ".xls", ".xlsx", ".jpg", ".png", ".txt")
NESTING, UNPACKED = 3, 10 << 20


def handle(event, context):
    """:param event: list of {name, type, content (base 64)}"""
    findings = []
    for attachment in event:
        findings += look_at(attachment["name"], base64.b64decode(attachment["content"]), NESTING)
    return findings


def look_at(name, data, depth):
    if TEST_SIGNATURE in data:
        digest = hashlib.sha256(data).hexdigest()[:16]
        yield {"rule": "test-signature", "weight": 100, "what": f"{name} has the anti-virus test signature (sha256 {digest}…)"}
    for magic, kind in PROGRAMS.items():
        if data.startswith(magic) and name.lower().endswith(DOCUMENTS):
            yield {"rule": "disguised-program", "weight": 10, "what": f"{name} is {kind}"}
    if data.startswith(b"PK\x03\x04") and depth > 0:
        yield from look_inside(name, data, depth)


def look_inside(name, data, depth):
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in archive.infolist():
                if member.file_size > UNPACKED:
                    yield {"rule": "large-member", "weight": 5, "what": f"{name}/{member.filename}: {member.file_size} bytes"}
                else:
                    yield from look_at(f"{name}/{member.filename}", archive.read(member), depth - 1)
    except (zipfile.BadZipFile, RuntimeError) as e:
        yield {"rule": "unreadable-archive", "weight": 2, "what": f"{name}: {e}"}
