// The simulator: a worker with the module. Requests wait in a queue, one is under
// way. Answers come as promises.
const simulator = {
  worker: null,
  compiled: null, // the module, to start it again at once
  number: 0,
  waiting: new Map(),
  queue: Promise.resolve(),
  now: null, // the request that is under way

  start() {
    const source = byId("worker").textContent;
    const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    this.worker = new Worker(address);
    URL.revokeObjectURL(address);
    this.worker.onmessage = ({ data: message }) => {
      const done = this.waiting.get(message.number);
      this.waiting.delete(message.number);
      if (message.compiled) this.compiled = message.compiled;
      if (message.dead) done.reject(new Error(message.dead));
      else done.resolve(JSON.parse(new TextDecoder().decode(message.answer)));
    };
    this.worker.onerror = (e) => this.abandon(new Error(e.message || "the worker does not start"));
  },

  // abandon ends all that is waited for with an error.
  abandon(error) {
    for (const done of this.waiting.values()) done.reject(error);
    this.waiting.clear();
  },

  send(message) {
    return new Promise((resolve, reject) => {
      const number = ++this.number;
      this.waiting.set(number, { resolve, reject });
      this.worker.postMessage({ ...message, number });
    });
  },

  async load() {
    this.start();
    const module = this.compiled ? { compiled: this.compiled } : { module: byId("module").textContent };
    const loaded = await this.send({ ...module, calls: byId("calls").textContent });
    if (loaded.error) return loaded;
    return this.send({ request: JSON.stringify({ begin: base }) });
  },

  // ask sends a request behind those that wait. A simulator that broke down is
  // started again.
  ask(request) {
    const answer = this.queue.then(() => {
      this.now = request;
      return this.send({ request: JSON.stringify(request) });
    }).catch(async (e) => {
      this.worker.terminate();
      this.abandon(e);
      await this.load();
      if (e === this.stopped) return { error: e.message, stopped: true };
      return { error: "the simulator broke down and was started again: " + e.message };
    }).finally(() => { this.now = null; });
    this.queue = answer;
    return answer;
  },

  stopped: new Error("the simulation was stopped"),

  // stop ends the request that is under way, of the given kind when one is named. A
  // worker that does not listen for three seconds is ended with it, and another one
  // takes its place. Replaying a long program takes a second of them.
  stop(kind) {
    if (!this.now || kind && !(kind in this.now)) return;
    const number = this.number;
    this.worker.postMessage({ stop: number });
    setTimeout(() => { if (this.waiting.has(number)) this.abandon(this.stopped); }, 3000);
  },
};
