"""sand.yaml as a document that its schema accepts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from sand.emulator.schema import places

FILE = "sand.yaml"
FILE_BYTES = 1 << 20
# File, JSON Pointer and a sentence.
Add = Callable[[str, str, str], None]


class _Loader(yaml.SafeLoader):
    """Refuses keys that stand twice, and reads dates as the text that they are."""

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        seen = set()
        for key, _ in node.value:
            name = self.construct_object(key, deep=True)
            if name in seen:
                raise yaml.constructor.ConstructorError(None, None, f"Duplicate field '{name}'", key.start_mark)
            seen.add(name)
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:timestamp"]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def document(folder: Path, add: Add) -> Any:
    """The document; what is wrong with it goes to `add`."""
    file = folder / FILE
    if not file.is_file():
        add(FILE, "", "there is none: an application folder has a sand.yaml with at least its name")
        return None
    size = file.stat().st_size
    if size > FILE_BYTES:
        add(FILE, "", f"it has {size} bytes, the limit is {FILE_BYTES}")
        return None
    try:
        documents = list(yaml.load_all(file.read_text("utf-8"), _Loader))
    except (yaml.YAMLError, UnicodeDecodeError) as broken:
        mark = getattr(broken, "problem_mark", None)
        where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        add(FILE, "", f"not YAML{where}: {getattr(broken, 'problem', None) or broken}")
        return None
    if not documents or documents[0] is None:
        add(FILE, "", "it is empty: an application has at least its name")
    elif len(documents) > 1:
        add(FILE, "", "it has more than one document (a line '---' begins the next); one application is one document")
    else:
        for pointer, detail in places(documents[0]):
            add(FILE, pointer, detail)
    return documents[0] if documents else None
