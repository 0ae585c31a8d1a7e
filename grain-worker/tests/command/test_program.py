"""How the platform's program is started."""

import os
from pathlib import Path

import pytest

from sand.command.program import AOT_CACHE, AOT_JARS, jars_as_they_are, jvm_options


@pytest.fixture
def jars(tmp_path: Path) -> str:
    found = [tmp_path / "standalone.jar", tmp_path / "lib/shard.jar"]
    for jar in found:
        jar.parent.mkdir(exist_ok=True)
        jar.write_bytes(b"classes")
    return os.pathsep.join(map(str, found))


def keep_cache(jars: str) -> str:
    folder = Path(jars.split(os.pathsep)[0]).parent
    (folder / AOT_CACHE).write_bytes(b"what Java learnt")
    (folder / AOT_JARS).write_text(jars_as_they_are(jars))
    return f"-XX:AOTCache={folder / AOT_CACHE}"


def test_what_java_learnt_is_used_for_the_jars_that_it_learnt_from(jars: str):
    assert not [option for option in jvm_options(jars) if "AOTCache" in option]
    assert keep_cache(jars) in jvm_options(jars)


@pytest.mark.parametrize("change", ["content", "time", "another", "unknown"])
def test_what_java_learnt_from_other_jars_is_not_used(jars: str, change: str):
    cache = keep_cache(jars)
    shard = Path(jars.split(os.pathsep)[1])
    before = shard.stat()
    if change == "content":
        shard.write_bytes(b"classes of today")
        os.utime(shard, ns=(before.st_atime_ns, before.st_mtime_ns))
    elif change == "time":
        os.utime(shard, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    elif change == "another":
        (shard.parent / "shard-2.jar").write_bytes(b"classes")
        jars += os.pathsep + str(shard.parent / "shard-2.jar")
    else:
        shard.parent.with_name(AOT_JARS).unlink()
    assert cache not in jvm_options(jars)
