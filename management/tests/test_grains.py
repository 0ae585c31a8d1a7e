def test_files_of_a_version(caller, platform):
    caller("grains", "listFiles", {"app": "shop", "version": "live"})
    assert platform.last == ("listFiles", {"parameters": {"app": "shop", "version": "live"}})


def test_what_is_no_version_is_not_there(caller, platform):
    answer = caller("grains", "listFiles", {"app": "shop", "version": "../1"})
    assert (answer.status, answer.kind) == (404, "unknown-version")
    assert not platform.calls
