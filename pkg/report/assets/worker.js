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

// give passes bytes to an exported function and returns the bytes of its answer.
function give(name, bytes) {
  const at = exports.reserve(bytes.length) >>> 0;
  new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
  const length = exports[name](bytes.length);
  const from = exports.answer() >>> 0;
  return new Uint8Array(exports.memory.buffer, from, length).slice();
}

async function start(message) {
  const module = await WebAssembly.compile(await inflate(message.module));
  const imports = {};
  for (const { module: library, name } of WebAssembly.Module.imports(module)) {
    imports[library] = imports[library] || {};
    imports[library][name] = calls[name] || (() => noFile);
  }
  exports = (await WebAssembly.instantiate(module, imports)).exports;
  exports._initialize();
  return give("load", await inflate(message.calls));
}

onmessage = async ({ data }) => {
  try {
    const bytes = data.module ? await start(data) : give("ask", new TextEncoder().encode(data.request));
    postMessage({ number: data.number, answer: bytes.buffer }, [bytes.buffer]);
  } catch (e) {
    postMessage({ number: data.number, dead: String(e.message || e) });
  }
};
