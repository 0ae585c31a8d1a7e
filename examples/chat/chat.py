"""A chat in a terminal, over the data plane: `python chat.py SERVER ROOM NAME`. What is typed is said; an empty line leaves."""

from __future__ import annotations

import sys
import threading

from sand.client import Process


def main() -> None:
    server, room, name = sys.argv[1:]
    with Process(server, "chat", room) as process:
        print("here:", ", ".join(process.invoke("join", {"name": name})))
        left = threading.Event()
        listener = threading.Thread(target=listen, args=(process, name, left))
        listener.start()
        for line in sys.stdin:
            if not line.strip():
                break
            process.invoke("say", {"name": name, "text": line.strip()})
        left.set()
        listener.join()
        process.invoke("leave", {"name": name})


def listen(process: Process, name: str, left: threading.Event) -> None:
    """Prints what is said, until this member has left and has heard all."""
    while True:
        is_last = left.is_set()
        lines = process.invoke("listen", {"name": name, "seconds": 0 if is_last else 2})
        for line in lines:
            print(f"{line['name']}: {line['text']}", flush=True)
        if is_last and not lines:
            return


if __name__ == "__main__":
    main()
