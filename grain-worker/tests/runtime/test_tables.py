"""Tables, locks and objects as a handler has them: what goes over the wire, and what comes back."""

from __future__ import annotations

from sandbox import Sandbox


def test_a_table_is_read_and_written_on_condition(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        """
        import sand
        def handle(event, context):
            table = context.data.table("p")
            assert table.versioned("k", "none") == ("none", 0)
            assert table.put("k", {"n": 1}, if_version=0) == 1
            assert table.put("raw", b"bytes") == 1
            try:
                table.put("k", 2, if_version=0)
            except sand.Conflict as conflict:
                assert "version 1" in str(conflict)
            try:
                table.put("k", "x" * 70_000)
            except sand.TooLarge as large:
                assert "data.objects" in str(large)
            return [table.get("k"), table.get("raw").decode(), [(key, version) for key, _, version in table.items()]]
        """
    )
    assert sandbox.output(worker) == [{"n": 1}, "bytes", [["k", 1], ["raw", 1]]]


def test_what_is_asked_of_a_transaction_goes_in_one_call(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        """
        def handle(event, context):
            table = context.data.table()
            with table.transaction() as t:
                t.check("a", 3)
                t.append("list", 1, "two")
                t.set_field("map", "f", [None])
                popped = t.pop_first("list")
                t.remove("list", None)
            try:
                with table.transaction() as t:
                    t.put("never", 1)
                    raise ValueError
            except ValueError:
                pass
            return popped.value
        """
    )
    assert sandbox.output(worker) == [1]
    calls = [(partition, one.operation, one.key, one.number, one.field, one.value and one.value.bytes)
             for partition, one in sandbox.broker.table_calls]  # fmt: skip
    assert calls == [
        ("main", "check", "a", 3, None, None),
        ("main", "append", "list", None, None, b'[1,"two"]'),
        ("main", "setField", "map", None, "f", b"[null]"),
        ("main", "popFirst", "list", 1, None, None),
        ("main", "remove", "list", None, None, b"null"),
    ]


def test_writes_under_a_lock_say_its_token(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        """
        import sand
        def handle(event, context):
            with context.data.lock("leader", seconds=2, partition="q") as lock:
                assert 0 < lock.remaining_ms() <= 2000
                lock.table.put("k", 1)
                lock.table.list("l").append(5)
                lock.renew()
                token = lock.token
            assert lock.remaining_ms() == 0
            try:
                with context.data.lock("leader"):
                    return "held twice"
            except sand.Conflict as conflict:
                return [token, str(conflict)]
        """
    )
    assert sandbox.output(worker) == [7, "lock leader is held by another"]
    calls = [(partition, one.operation, one.key, one.number) for partition, one in sandbox.broker.table_calls]
    assert calls == [
        ("q", "acquire", "leader", 2000), ("q", "checkLock", "leader", 7), ("q", "put", "k", None),
        ("q", "checkLock", "leader", 7), ("q", "append", "l", None), ("q", "renew", "leader", 7), ("q", "release", "leader", 7),
        ("main", "acquire", "leader", 30000),
    ]  # fmt: skip


def test_a_lock_that_is_held_is_waited_for(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        """
        def handle(event, context):
            context.data.lock("l").acquire()
            with context.data.lock("l", wait=5) as lock:
                return lock.token
        """
    )
    assert sandbox.output(worker) == 7
    assert [one.operation for _, one in sandbox.broker.table_calls] == ["acquire", "acquire", "acquire", "release"]


def test_objects_go_in_ranges(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        """
        import sand
        def handle(event, context):
            objects = context.data.objects
            data = bytes(range(256)) * 4096
            objects.write("k", 0, data + b"end")
            assert objects.read("k") == data + b"end"
            assert objects.read("k", len(data), 2) == b"en"
            assert objects.read("k", 10, 600_000) == data[10:600_010]
            assert bytes(objects.get("k")) == data + b"end"
            assert objects.get("other", 3) == 3
            try:
                objects.read("other")
            except sand.NotFound as missing:
                return [str(missing), objects.info("k").size, objects.list()]
        """
    )
    assert sandbox.output(worker) == ["there is no object other", (1 << 20) + 3, ["k"]]
