"""What pyproject.toml cannot say: a distribution without all of its files is not built.

Some of the package's data are links into the checkout, so that there is one truth. setuptools leaves out a link that leads
nowhere without a word, and the distribution would only fail where it is used.
"""

from pathlib import Path

from setuptools import setup

_HERE = Path(__file__).parent
_DANGLING = sorted(str(path.relative_to(_HERE)) for path in _HERE.glob("src/**/*") if path.is_symlink() and not path.exists())
if _DANGLING:
    raise SystemExit(
        f"sand cannot be built from here: {', '.join(_DANGLING)} lead out of this folder to files that are not there. "
        "Build it from grain-worker/ inside of a whole checkout."
    )

setup()
