"""A client of data.sock as another process, for SegmentSocketTest. Commands on stdin, one JSON answer a line on stdout."""

import errno
import hashlib
import json
import mmap
import os
import socket
import sys
import time
from pathlib import Path

from sand.errors import SandError
from sand.protocol import ALLOCATE, OPEN, BusError, SegmentAllocateRequest, SegmentOpenRequest, decode_reply, encode_call
from sand.segments import Segments

MIB = 1 << 20


class Client:
    def __init__(self, path):
        self.path = path
        self.socket = self.connect()
        self.kept = {}

    def connect(self):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self.path)
        return connection

    def call(self, method, argument):
        self.socket.sendall(encode_call(method, argument))
        data, fds, _, _ = socket.recv_fds(self.socket, 65536, 4)
        size = int.from_bytes(data[:4], "big")
        while len(data) < 4 + size:
            data += self.socket.recv(65536)
        reply = decode_reply(method, data[4:])
        if isinstance(reply, BusError):
            assert not fds
            return None, reply
        assert len(fds) == 1
        return fds[0], reply

    def write(self, event, mib):
        began = time.perf_counter()
        fd, reply = self.call(ALLOCATE, SegmentAllocateRequest(event, mib * MIB))
        if fd is None:
            return {"error": reply.error, "message": reply.message}
        pattern = os.urandom(MIB)
        for at in range(mib):
            os.pwrite(fd, pattern, at * MIB)
        took = time.perf_counter() - began
        answer = {
            "object": reply.object,
            "size": reply.size,
            "inode": os.fstat(fd).st_ino,
            "ms": took * 1000,
            "hash": hashlib.sha1(pattern).hexdigest(),
            "grow": failure(os.ftruncate, fd, 2 * mib * MIB),
            "shrink": failure(os.ftruncate, fd, 0),
        }
        os.close(fd)
        return answer

    def read(self, name, keep):
        fd, reply = self.call(OPEN, SegmentOpenRequest(name))
        if fd is None:
            return {"error": reply.error, "message": reply.message}
        view = mmap.mmap(fd, reply.size, prot=mmap.PROT_READ)
        with Path("/proc/self/maps").open() as maps:
            mapped = [line.split()[1] for line in maps if "memfd:sand" in line]
        first, last = hashlib.sha1(view[:MIB]).hexdigest(), hashlib.sha1(view[-MIB:]).hexdigest()
        answer = {
            "size": reply.size,
            "inode": os.fstat(fd).st_ino,
            "hash": first,
            "last": last,
            "mapped": mapped,
            "copied_kb": copied_kb(),
            "write": failure(os.write, fd, b"x"),
            "map_writable": failure(mmap.mmap, fd, reply.size),
            "reopen": failure(os.open, f"/proc/self/fd/{fd}", os.O_RDWR),
            "chmod": failure(os.fchmod, fd, 0o666),
        }
        os.close(fd)
        if keep:
            self.kept[name] = view
        else:
            view.close()
        return answer

    def drop(self, name):
        self.kept.pop(name).close()
        return {}

    def content(self, name):
        return {"hash": hashlib.sha1(self.kept[name][:MIB]).hexdigest()}

    def introduce(self, instance):
        """As an instance does: what follows is through the runtime's own client, and says how often that has waited."""
        self.segments = Segments(str(Path(self.path).parent), instance)
        self.asked = 0
        call = self.segments._call

        def counted(*arguments):
            self.asked += 1
            return call(*arguments)

        self.segments._call = counted
        return {}

    def store(self, event, size):
        value = os.urandom(size)
        name = self.segments.store(event, (value,), size)
        return {"object": name, "hash": hashlib.sha1(value).hexdigest(), "asked": self.asked}

    def take(self, name):
        try:
            found = self.segments.read(name)
        except SandError as refused:
            return {"error": refused.error}
        return {"hash": hashlib.sha1(found).hexdigest(), "asked": self.asked}

    def rest(self):
        self.segments.rest()
        return {"descriptors": len(list(Path("/proc/self/fd").iterdir()))}

    def become(self, uid):
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)
        return {}

    def garbage(self, hexadecimal):
        connection = self.connect()
        connection.sendall(bytes.fromhex(hexadecimal))
        try:
            answer = connection.recv(100)
        except ConnectionResetError:
            answer = b""
        connection.close()
        return {"answer": answer.hex()}

    def crowd(self, count):
        connections = [self.connect() for _ in range(count)]
        refused = 0
        for connection in connections:
            connection.settimeout(30)
            try:
                connection.sendall(encode_call(OPEN, SegmentOpenRequest("none")))
                refused += connection.recv(10) == b""
            except OSError:
                refused += 1
        for connection in connections:
            connection.close()
        return {"refused": refused}


def copied_kb():
    total, inside = 0, False
    with Path("/proc/self/smaps").open() as maps:
        for line in maps:
            if "-" in line.split(" ")[0]:
                inside = "memfd:sand" in line
            elif inside and line.startswith("Anonymous:"):
                total += int(line.split()[1])
    return total


def failure(call, *arguments):
    try:
        call(*arguments)
        return None
    except OSError as failed:
        return errno.errorcode[failed.errno]


def main():
    client = Client(sys.argv[1] + "/data.sock")
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        print(json.dumps(getattr(client, name)(*arguments)), flush=True)


main()
