// What a reader of the page may change: the setting, its history, and the worker
// that simulates it. The last good figures stay until there are others.
const base = JSON.parse(byId("base").textContent);
const copy = (x) => JSON.parse(JSON.stringify(x));
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

const whatif = {
  setting: copy(base.setting),
  shown: copy(base.setting), // the setting that the figures are of
  time: figure(root, "exec"),
  efficiency: figure(root, "effic"),
  first: { time: figure(root, "exec"), efficiency: figure(root, "effic") },
  command: "",
  past: [],
  held: null,     // the control that is being moved
  controls: [],
  ready: false,
};

// The simulator: requests wait in a queue, one is under way. Answers come as
// promises.
const simulator = {
  worker: null,
  number: 0,
  waiting: new Map(),
  queue: Promise.resolve(),

  start() {
    const source = byId("worker").textContent;
    const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    this.worker = new Worker(address);
    URL.revokeObjectURL(address);
    this.worker.onmessage = ({ data: message }) => {
      const done = this.waiting.get(message.number);
      this.waiting.delete(message.number);
      if (message.dead) done.reject(new Error(message.dead));
      else done.resolve(JSON.parse(new TextDecoder().decode(message.answer)));
    };
    this.worker.onerror = (e) => {
      for (const done of this.waiting.values()) done.reject(new Error(e.message || "the worker does not start"));
      this.waiting.clear();
    };
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
    const loaded = await this.send({ module: byId("module").textContent, calls: byId("calls").textContent });
    if (loaded.error) return loaded;
    return this.send({ request: JSON.stringify({ begin: base }) });
  },

  // ask sends a request behind those that wait. A simulator that broke down is
  // started again.
  ask(request) {
    const answer = this.queue.then(() => this.send({ request: JSON.stringify(request) })).catch(async (e) => {
      this.worker.terminate();
      this.waiting.clear();
      await this.load();
      return { error: "the simulator broke down and was started again: " + e.message };
    });
    this.queue = answer;
    return answer;
  },
};

// become makes a setting equal to another.
function become(setting, other) {
  for (const key of Object.keys(setting)) delete setting[key];
  Object.assign(setting, copy(other));
}

// change makes a change of the setting by a control; changes that follow each
// other while the control is held are undone at once.
function change(control, make) {
  const before = copy(whatif.setting);
  make(whatif.setting);
  if (same(before, whatif.setting)) return;
  if (control === null || whatif.held !== control) whatif.past.push(before);
  whatif.held = control;
  settle();
}

function release() { whatif.held = null; }

function undo() {
  release();
  if (!whatif.past.length) return;
  whatif.setting = whatif.past.pop();
  settle();
}

function reset() {
  release();
  change(null, (s) => become(s, base.setting));
}

// The newest setting is simulated as soon as the simulator is free; those
// between are left out.
let busy = false;

async function settle() {
  drawPanel();
  if (busy || !whatif.ready) return;
  busy = true;
  while (!same(whatif.setting, whatif.shown) || whatif.failed) {
    const wanted = copy(whatif.setting);
    const answer = await simulator.ask({ page: wanted });
    whatif.failed = false;
    if (answer.error) {
      if (same(wanted, whatif.setting)) {
        fail(answer.error);
        break;
      }
      continue;
    }
    take(wanted, answer);
  }
  busy = false;
  if (same(whatif.setting, whatif.shown)) fail("");
}

// fail shows why there are no figures of the setting, "" when there are.
function fail(words) {
  whatif.failed = words !== "";
  byId("wrong").textContent = words && words + ". The figures are those of the last setting that could be simulated.";
  byId("wrong").hidden = !words;
  document.body.classList.toggle("stale", words !== "");
}

// take shows the figures of a setting.
function take(wanted, answer) {
  whatif.shown = wanted;
  whatif.time = answer.time;
  whatif.efficiency = answer.efficiency;
  whatif.command = answer.command;
  whatif.top = answer.update.top;
  fail("");
  showTop(answer.update.top);
  showIntervals(answer.update.data);
  drawPanel();
  drawPair();
}
