"""Cannot be loaded."""

raise RuntimeError("not today")
