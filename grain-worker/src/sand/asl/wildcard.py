"""The pattern of StringMatches: `*` stands for any characters or none, `\\*` and `\\\\` for themselves."""


class Wildcard:
    def __init__(self, pattern: str) -> None:
        """Raises ValueError when a backslash escapes something else."""
        self._parts: list[str] = [""]
        at = 0
        while at < len(pattern):
            character = pattern[at]
            if character == "*":
                self._parts.append("")
            elif character == "\\":
                at += 1
                if pattern[at : at + 1] not in ("*", "\\"):
                    raise ValueError(f"'{pattern}' has a backslash before neither * nor another backslash")
                self._parts[-1] += pattern[at]
            else:
                self._parts[-1] += character
            at += 1

    def matches(self, text: str) -> bool:
        first, last = self._parts[0], self._parts[-1]
        if len(self._parts) == 1:
            return text == first
        if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
            return False
        at, end = len(first), len(text) - len(last)
        for part in self._parts[1:-1]:
            found = text.find(part, at, end)
            if found < 0:
                return False
            at = found + len(part)
        return True
