"""JSONata's functions of URLs and of base 64, as AWS has them: the library passes over what is malformed."""

from __future__ import annotations

import base64
import binascii
import re
import urllib.parse
from typing import Any

from jsonata.functions import Functions as Library

from sand.asl import query_strings
from sand.asl.failure import StateError
from sand.asl.query_run import failure

_NO_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")
_NO_BASE64 = re.compile("[^A-Za-z0-9+/]")
_HALF = re.compile("[\ud800-\udfff]")
FUNCTIONS = {
    "encodeUrl": ("<s-:s>", "encode_url"),
    "encodeUrlComponent": ("<s-:s>", "encode_url_component"),
    "decodeUrl": ("<s-:s>", "decode_url"),
    "decodeUrlComponent": ("<s-:s>", "decode_url_component"),
    "base64encode": ("<s-:s>", "base64_encode"),
    "base64decode": ("<s-:s>", "base64_decode"),
}


class Functions:
    @staticmethod
    def encode_url(text: Any) -> Any:
        return Library.encode_url(_whole(text, "encodeUrl"))

    @staticmethod
    def encode_url_component(text: Any) -> Any:
        return Library.encode_url_component(_whole(text, "encodeUrlComponent"))

    @staticmethod
    def decode_url(text: Any) -> Any:
        return _decoded(text, "decodeUrl")

    @staticmethod
    def decode_url_component(text: Any) -> Any:
        return _decoded(text, "decodeUrlComponent")

    @staticmethod
    def base64_encode(text: Any) -> Any:
        """Half of a pair of surrogates has no bytes in UTF-8: a question mark stands for it, as in Java."""
        return None if text is None else base64.b64encode(text.encode("utf-8", "replace")).decode("ascii")

    @staticmethod
    def base64_decode(text: Any) -> Any:
        """With or without what fills it up."""
        if text is None:
            return None
        wrong = _NO_BASE64.search(text.rstrip("="))
        if wrong is not None:
            raise failure(f"Illegal base64 character {ord(wrong[0]):x}")
        try:
            return base64.b64decode(text + "=" * (-len(text) % 4), validate=True).decode("utf-8", "replace")
        except binascii.Error as e:
            raise failure(str(e)) from None


def _whole(text: Any, function: str) -> Any:
    """Half of a pair of surrogates has no bytes; two escapes in an expression are a pair."""
    if not isinstance(text, str) or not _HALF.search(text):
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    if _HALF.search(joined):
        raise _malformed(joined, function)
    return joined


def _malformed(text: str, function: str) -> StateError:
    return failure(f"D3140: Malformed URL passed to ${function}(): {query_strings.quoted(text)}")


def _decoded(text: Any, function: str) -> Any:
    """As AWS: a plus is a space, and what is no UTF-8 a replacement character."""
    if text is not None and _NO_ESCAPE.search(text):
        raise _malformed(text, function)
    return None if text is None else urllib.parse.unquote_plus(text)
