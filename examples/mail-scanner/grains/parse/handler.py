"""Takes a message (RFC 5322) apart: headers, texts, attachments."""

import base64
from email import message_from_bytes, policy

HEADERS = ("From", "Reply-To", "Return-Path", "To", "Subject", "Date", "Message-ID", "Received")


def handle(event, context):
    """:param event: the message's bytes, or its text as a JSON string"""
    message = message_from_bytes(event.encode() if isinstance(event, str) else bytes(event), policy=policy.default)
    if not message.keys():
        raise ValueError("this is no mail message: it has no headers")
    return {
        "headers": {name: [str(value) for value in message.get_all(name, [])] for name in HEADERS},
        "texts": [
            {"type": part.get_content_type(), "text": part.get_content()}
            for part in message.walk()
            if part.get_content_maintype() == "text" and not part.is_attachment()
        ],
        "attachments": [
            {
                "name": part.get_filename() or "",
                "type": part.get_content_type(),
                "content": base64.b64encode(part.get_payload(decode=True) or b"").decode(),
            }
            for part in message.walk()
            if part.is_attachment()
        ],
    }
