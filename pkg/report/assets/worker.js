// The worker of a page that can be changed: it starts the simulator, a
// WebAssembly module for wasip1, and passes requests to it. It runs from a Blob,
// the only worker that pages on disk may have.

// bytesOf decodes base64.
function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

// inflate decompresses gzip.
async function inflate(text) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

let exports = null; // of the module
let said = "";      // what the module wrote to its standard error

function memory() { return new DataView(exports.memory.buffer); }

// The calls of wasip1 that the run-time system of Go makes without files. All
// others answer that there is no such file.
const noFile = 8;
const calls = {
  sched_yield: () => 0,
  proc_exit: (code) => { throw new Error(said.split("\n", 1)[0] || "exit code " + code); },
  args_sizes_get: (count, size) => { memory().setUint32(count, 0, true); memory().setUint32(size, 0, true); return 0; },
  args_get: () => 0,
  environ_sizes_get: (count, size) => { memory().setUint32(count, 0, true); memory().setUint32(size, 0, true); return 0; },
  environ_get: () => 0,
  clock_time_get: (clock, precision, result) => {
    const ms = clock === 0 ? Date.now() : performance.now();
    memory().setBigUint64(result, BigInt(Math.round(ms * 1e6)), true);
    return 0;
  },
  random_get: (at, length) => {
    // At most 65,536 bytes at a time.
    for (let i = 0; i < length; i += 65536) {
      crypto.getRandomValues(new Uint8Array(exports.memory.buffer, at + i, Math.min(65536, length - i)));
    }
    return 0;
  },
  fd_write: (fd, list, count, written) => {
    let sum = 0;
    for (let i = 0; i < count; i++) {
      const at = memory().getUint32(list + 8 * i, true), length = memory().getUint32(list + 8 * i + 4, true);
      said += new TextDecoder().decode(new Uint8Array(exports.memory.buffer, at, length));
      sum += length;
    }
    memory().setUint32(written, sum, true);
    return 0;
  },
  // A wait: it ends at once with one event.
  poll_oneoff: (wanted, events, count, happened) => {
    new Uint8Array(exports.memory.buffer, events, 32).fill(0);
    memory().setUint32(happened, 1, true);
    return 0;
  },
};

// put passes bytes to the module; result is the answer of the given length.
function put(bytes) {
  const at = exports.reserve(bytes.length) >>> 0;
  new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
  return bytes.length;
}

function result(length) {
  const from = exports.answer() >>> 0;
  return new Uint8Array(exports.memory.buffer, from, length).slice();
}

// start starts the module, given as compressed text or as it was compiled before,
// and loads the calls.
async function start(message) {
  const module = message.compiled || await WebAssembly.compile(await inflate(message.module));
  const imports = {};
  for (const { module: library, name } of WebAssembly.Module.imports(module)) {
    imports[library] = imports[library] || {};
    imports[library][name] = calls[name] || (() => noFile);
  }
  exports = (await WebAssembly.instantiate(module, imports)).exports;
  exports._initialize();
  return { bytes: result(exports.load(put(await inflate(message.calls)))), compiled: module };
}

// The messages that have come are read between two turns of a simulation.
const turns = new MessageChannel();
const turn = () => new Promise((go) => {
  turns.port1.onmessage = go;
  turns.port2.postMessage(null);
});
let stopped = 0; // requests up to this number are not wanted any more

async function ask(message) {
  let length = exports.ask(put(new TextEncoder().encode(message.request)));
  while (length < 0) {
    await turn();
    length = exports.resume(stopped >= message.number ? 1 : 0);
  }
  return { bytes: result(length) };
}

onmessage = async ({ data }) => {
  if (data.stop) {
    stopped = data.stop;
    return;
  }
  try {
    const { bytes, compiled } = await (data.calls === undefined ? ask(data) : start(data));
    postMessage({ number: data.number, answer: bytes.buffer, compiled }, [bytes.buffer]);
  } catch (e) {
    postMessage({ number: data.number, dead: String(e.message || e) });
  }
};
