"""How pip reaches packages on this machine, carried into the host agents: they resolve applications' requirements in build
sandboxes, and only see what is mounted into their own container."""

import os
from pathlib import Path

CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
SYSTEM_CONFIGURATION = Path("/etc/pip.conf")
NEVER = {Path(p) for p in ("/", "/tmp", "/proc", "/sys", "/dev", "/root", "/home")}


def pip_environment() -> dict[str, str]:
    """PIP_*, certificates and proxies, as this machine has them."""
    found = {name: value for name, value in os.environ.items() if wanted(name)}
    return found | ({"PIP_CONFIG_FILE": str(SYSTEM_CONFIGURATION)} if configuration() else {})


def wanted(name: str) -> bool:
    return name.startswith("PIP_") or name in CERTIFICATES or name.upper() in PROXIES


def configuration() -> Path | None:
    """pip's most important configuration file here: its settings stand in the container as the system's."""
    home = Path.home()
    config = Path(os.environ.get("XDG_CONFIG_HOME", home / ".config"))
    named = os.environ.get("PIP_CONFIG_FILE")
    candidates = [*([Path(named)] if named else []), config / "pip/pip.conf", home / ".pip/pip.conf", SYSTEM_CONFIGURATION]
    return next((file for file in candidates if file.is_file()), None)


def pip_mounts() -> list[str]:
    """What these variables and that file name, read-only at the same paths."""
    values = list(pip_environment().values())
    file = configuration()
    if file:
        values.append(file.read_text(errors="replace").replace("=", " "))
    words = {word.removeprefix("file://") for value in values for word in value.split()}
    named = {Path(os.path.normpath(word)) for word in words if word.startswith("/")}
    mounts = [f"{path}:{path}:ro" for path in sorted(named - NEVER - {SYSTEM_CONFIGURATION}) if path.exists()]
    return mounts + ([f"{file}:{SYSTEM_CONFIGURATION}:ro"] if file else [])


def carried_into(service: dict) -> dict:
    """A host agent's service with all of that."""
    return service | {
        "environment": service.get("environment", {}) | pip_environment(),
        "volumes": [*service["volumes"], *pip_mounts()],
    }
