// A client of the data plane over its WebSocket (docs/DATA-PLANE.md): JSON in, JSON out, values of at most 64 KiB to the host.
// It does not reconnect: when the connection ends, all calls fail, and whoever has it connects again.

const HELLO = 1, WELCOME = 2, REFUSED = 3, INVOKE = 4, PART = 5, RESULT = 6, FAILED = 7, PING = 9, MOVED = 11, GO_AWAY = 12;
const INLINE_BYTES = 65536;
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const words = new TextEncoder();
const letters = new TextDecoder();

class Writer {
  bytes = [];
  number(value, size) {
    for (let shift = size - 1; shift >= 0; shift--) this.bytes.push(Math.floor(value / 256 ** shift) % 256);
    return this;
  }
  text(value) {
    const encoded = words.encode(value);
    return this.number(encoded.length, 2).rest(encoded);
  }
  rest(encoded) {
    for (const byte of encoded) this.bytes.push(byte);
    return this;
  }
  /** With its length in front; `preface` goes before all. */
  frame(preface = "") {
    return new Uint8Array([...words.encode(preface), ...new Writer().number(this.bytes.length, 4).bytes, ...this.bytes]);
  }
}

class Reader {
  constructor(bytes) { this.bytes = bytes; this.at = 0; }
  number(size) {
    let value = 0;
    for (let i = 0; i < size; i++) value = value * 256 + this.bytes[this.at++];
    return value;
  }
  text() { const size = this.number(2); return letters.decode(this.bytes.subarray(this.at, (this.at += size))); }
  rest() { return this.bytes.subarray(this.at); }
}

/** 48 bits of the host's milliseconds and 80 random ones, in Crockford's base 32: two zero bits ahead. */
function newId(hostMs) {
  let value = BigInt(Math.floor(hostMs));
  for (const byte of crypto.getRandomValues(new Uint8Array(10))) value = (value << 8n) | BigInt(byte);
  let id = "";
  for (let i = 0; i < 26; i++, value >>= 5n) id = DIGITS[Number(value & 31n)] + id;
  return id;
}

/** `server`: of the control plane, "" on a page that comes from it. Resolves to {invoke(function, input, seconds), close()}. */
export async function connect(server, application, process) {
  const where = `${server}/api/v1/apps/${application}/processes/${encodeURIComponent(process)}/connect`;
  const answer = await fetch(where, { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
  const place = await answer.json();
  if (!answer.ok) throw new Error(place.detail ?? answer.statusText);
  const socket = new WebSocket(place.websocket);
  socket.binaryType = "arraybuffer";
  const calls = new Map();
  let clock = 0, requests = 0, got = new Uint8Array(0), timer;

  function end(cause) {
    clearInterval(timer);
    for (const call of calls.values()) call.fails(new Error(cause));
    calls.clear();
    socket.close();
  }

  function collect(call, request, part) {
    for (const byte of part) call.parts.push(byte);
    if (call.parts.length < call.size) return;
    calls.delete(request);
    try {
      call.ends(JSON.parse(letters.decode(new Uint8Array(call.parts))));
    } catch (error) {
      call.fails(new Error(`the output is no JSON: ${error.message}`));
    }
  }

  function onFrame(frame, welcomed, refused) {
    const kind = frame.number(1);
    if (kind === WELCOME) {
      frame.number(2); frame.text(); frame.text(); frame.number(8);
      clock = frame.number(8) - Date.now();
      frame.number(4); frame.number(8); frame.number(4);
      timer = setInterval(() => socket.send(new Writer().number(PING, 1).number(0, 8).frame()), frame.number(4) / 3);
      welcomed();
    } else if (kind === REFUSED || kind === GO_AWAY) {
      const cause = `${frame.text()}: ${frame.text()}`;
      refused(new Error(cause));
      end(cause);
    } else if (kind === RESULT || kind === PART || kind === FAILED || kind === MOVED) {
      const request = frame.number(8), call = calls.get(request);
      if (kind === MOVED) return end("the process has moved: connect again");
      if (!call) return;
      if (kind === FAILED) {
        frame.number(3); frame.text(); // status, source, retryable; the execution
        calls.delete(request);
        call.fails(new Error(`${frame.text()}: ${frame.text()}`));
        return;
      }
      if (kind === RESULT) {
        frame.text(); frame.text();
        call.size = frame.number(8);
      }
      collect(call, request, frame.rest());
    }
  }

  await new Promise((welcomed, refused) => {
    socket.onopen = () => socket.send(new Writer().number(HELLO, 1).number(1, 2).text(place.grant).text("chat").frame("SDP1"));
    socket.onclose = socket.onerror = () => { refused(new Error("no connection")); end("the connection was lost"); };
    socket.onmessage = (message) => {
      const come = new Uint8Array(message.data), all = new Uint8Array(got.length + come.length);
      all.set(got); all.set(come, got.length);
      for (got = all; got.length >= 4;) {
        const size = new Reader(got).number(4);
        if (got.length < 4 + size) break;
        onFrame(new Reader(got.subarray(4, 4 + size)), welcomed, refused);
        got = got.subarray(4 + size);
      }
    };
  });

  return {
    invoke: (name, input, seconds = 60) => new Promise((ends, fails) => {
      const value = words.encode(JSON.stringify(input)), request = ++requests;
      if (value.length > INLINE_BYTES) return fails(new Error(`an input of ${value.length} bytes; at most ${INLINE_BYTES} here`));
      calls.set(request, { ends, fails, parts: [], size: 0 });
      socket.send(new Writer().number(INVOKE, 1).number(request, 8).text(newId(Date.now() + clock)).number(0, 1)
        .number(seconds * 1000, 4).text(name).text("application/json").number(value.length, 8).rest(value).frame());
    }),
    close: () => socket.close(),
  };
}
