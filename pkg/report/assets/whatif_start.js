// The page begins with the figures of the prediction; the simulator starts
// beside them.
function missing() {
  if (typeof WebAssembly !== "object") return "WebAssembly";
  if (typeof Worker !== "function") return "workers";
  if (typeof DecompressionStream !== "function") return "DecompressionStream";
  return "";
}

async function copyCommand() {
  const field = byId("command");
  field.select();
  let done = false;
  try {
    await navigator.clipboard.writeText(field.value);
    done = true;
  } catch {
    done = document.execCommand("copy");
  }
  byId("copied").textContent = done ? "copied" : "select it and copy";
}

function frame() {
  return el("section", { id: "whatif" },
    el("h2", null, "What if"),
    el("div", { class: "tools now" },
      el("output", { id: "now" }),
      el("button", { id: "undo", type: "button", "aria-disabled": "true", click: undo }, "Undo"),
      el("button", { id: "reset", type: "button", "aria-disabled": "true", click: reset }, "Reset all"),
      el("button", { id: "keep", type: "button", click: keep }, "Keep to compare"),
      el("span", { id: "waiting", class: "note", "aria-live": "polite" }),
      el("button", { id: "halt", type: "button", hidden: true, click: () => { simulator.stop("page"); byId("undo").focus(); } }, "Stop"),
      el("p", { id: "stale", class: "wrong", role: "alert", hidden: true }),
      el("p", { id: "wrong", hidden: true })),
    el("p", { id: "changes", class: "note", "aria-live": "polite" }, "The simulator is starting."),
    el("div", { id: "pair", hidden: true }),
    el("div", { id: "panel" }),
    el("div", { class: "tools" }, el("label", { class: "grow" }, "The same with dvmsim ", el("input", { id: "command", readonly: true })),
      el("button", { id: "copy", type: "button", click: copyCommand }, "Copy"), el("span", { id: "copied", class: "note", "aria-live": "polite" })),
    el("p", { id: "exactness", class: "note", hidden: true }, "The figures are those of dvmsim to the last digit. Transcendental functions in expressions of a machine of Parasol may differ in the last digit."),
    el("details", { class: "curve" }, el("summary", null, "Chart over a parameter or over processors"), el("div", { id: "sweep" })));
}

// unable says in the place of the controls why nothing can be changed.
function unable(words) {
  byId("whatif").replaceChildren(el("h2", null, "What if"),
    el("p", { id: "changes", class: "wrong", role: "alert" }, words + " The page shows the prediction, and nothing can be changed."));
}

async function begin() {
  document.querySelector("main").prepend(frame());
  const lacking = missing();
  if (lacking) {
    unable("This browser has no " + lacking + ", which the simulator needs.");
    return;
  }
  let answer;
  try {
    answer = await simulator.load();
  } catch (e) {
    answer = { error: e.message };
  }
  if (answer.error) {
    unable("The simulator does not start: " + answer.error + ".");
    return;
  }
  byId("exactness").hidden = !answer.traced_on;
  buildPanel(answer);
  buildSweep();
  whatif.ready = true;
  // The first simulation is recorded, so that the first change is quick.
  const first = await simulator.ask({ page: base.setting });
  if (first.error) fail(first.error, first);
  else if (same(whatif.setting, base.setting)) take(copy(base.setting), first);
  settle();
}

begin();
