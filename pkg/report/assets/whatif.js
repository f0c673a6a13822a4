// What a reader of the page may change: the setting, its history, and how new
// figures come. The last good figures stay until there are others.
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
  moved: null,    // the control that was moved last
  wrong: "",      // why there are no figures of the setting
  controls: [],
  ready: false,
};

// become makes a setting equal to another.
function become(setting, other) {
  for (const key of Object.keys(setting)) delete setting[key];
  Object.assign(setting, copy(other));
}

// change makes a change of the setting by the control of a key of rowOf; changes that
// follow each other while something is held are undone at once.
function change(control, make, held) {
  const before = copy(whatif.setting);
  make(whatif.setting);
  if (same(before, whatif.setting)) return;
  if (!held || whatif.held !== held) whatif.past.push(before);
  whatif.held = held || null;
  whatif.moved = control;
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

// The newest setting is simulated as soon as the simulator is free; those between
// are left out. What is under way for others is stopped, but not while a control is
// being moved: a slider that is never still shall show something.
let wanted = null; // the setting that is being simulated

async function settle() {
  drawPanel();
  if (!whatif.ready) return;
  if (wanted) {
    if (!whatif.held && !same(wanted, whatif.setting)) simulator.stop();
    return;
  }
  while (!same(whatif.setting, whatif.shown)) {
    wanted = copy(whatif.setting);
    const waiting = setTimeout(() => wait(true), 300);
    simulator.stop("time");
    const answer = await simulator.ask({ page: wanted });
    clearTimeout(waiting);
    wait(false);
    const still = same(wanted, whatif.setting);
    if (!answer.error) take(wanted, answer);
    else if (still) {
      fail(answer.stopped ? "the simulation was stopped" : answer.error, answer);
      break;
    }
  }
  wanted = null;
  if (same(whatif.setting, whatif.shown)) fail("");
}

// wait shows that a simulation takes long, and that it can be stopped.
function wait(long) {
  byId("halt").hidden = !long;
  byId("waiting").textContent = long ? "Simulating " + (changes(wanted).join("; ") || "the prediction") + "." : "";
}

// fail shows why there are no figures of the setting, "" when there are: beside the
// control that is the cause, and above the figures, which are marked. What was
// stopped can be simulated again.
function fail(words, answer) {
  if (!words && !whatif.wrong) return;
  const row = words && rowOf.get(cause(answer));
  const again = words && answer.stopped && el("button", { type: "button", id: "again", click: () => {
    settle();
    if (row) row.querySelector("input, select").focus();
  } }, "Simulate it");
  byId("wrong").remove();
  const message = el("p", { id: "wrong", class: "wrong", hidden: !words }, words, again && " ", again);
  (row || document.querySelector("#whatif .now")).append(message);
  if (row && row.closest("details")) row.closest("details").open = true;
  for (const e of document.querySelectorAll("#panel [aria-invalid]")) {
    e.removeAttribute("aria-invalid");
    e.removeAttribute("aria-describedby");
  }
  if (row) for (const e of row.querySelectorAll("input, select")) {
    e.setAttribute("aria-invalid", "true");
    e.setAttribute("aria-describedby", "wrong");
  }
  whatif.wrong = words;
  byId("stale").hidden = !words;
  byId("stale").textContent = words && (row ? row.dataset.knob + ": " : "") + words + ". The figures are those of the last setting that could be simulated: " +
    (changes(whatif.shown).join("; ") || "as predicted") + ".";
  document.body.classList.toggle("stale", words !== "");
}

// cause returns the key of the control that is to blame: what the simulator names,
// else the grid, which most programs that cannot be simulated are too small for,
// unless it is that of the last good setting.
function cause(answer) {
  const differs = differing(whatif.setting, whatif.shown);
  if (answer.stopped) return differs.includes(whatif.moved) ? whatif.moved : differs[0];
  return answer.cause || (differs.includes("grid") ? "grid" : differs.includes(whatif.moved) ? whatif.moved : differs[0]);
}

// take shows the figures of a setting.
function take(setting, answer) {
  whatif.shown = setting;
  whatif.time = answer.time;
  whatif.efficiency = answer.efficiency;
  whatif.command = answer.command;
  fail("");
  keepScrolled(() => {
    showTop(answer.update.top);
    showIntervals(answer.update.data);
  });
  drawPanel();
  drawPair();
}
