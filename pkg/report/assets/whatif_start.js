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
      el("button", { id: "undo", type: "button", disabled: true, click: undo }, "Undo"),
      el("button", { id: "reset", type: "button", disabled: true, click: reset }, "Reset all"),
      el("button", { id: "keep", type: "button", click: keep }, "Keep to compare"),
      el("p", { id: "wrong", class: "wrong", role: "alert", hidden: true })),
    el("p", { id: "changes", class: "note", "aria-live": "polite" }, "The simulator is starting."),
    el("div", { id: "pair", hidden: true }),
    el("div", { id: "panel" }),
    el("div", { class: "tools" }, el("label", { class: "grow" }, "The same with dvmsim ", el("input", { id: "command", readonly: true })),
      el("button", { id: "copy", type: "button", click: copyCommand }, "Copy"), el("span", { id: "copied", class: "note", "aria-live": "polite" })),
    el("p", { id: "exactness", class: "note", hidden: true }, "The figures are those of dvmsim to the last digit. Transcendental functions in expressions of a machine of Parasol may differ in the last digit."),
    el("details", { class: "curve" }, el("summary", null, "Chart over a parameter or over processors"), el("div", { id: "sweep" })));
}

async function begin() {
  const section = frame();
  document.querySelector("main").prepend(section);
  const lacking = missing();
  if (lacking) {
    byId("changes").textContent = "This browser has no " + lacking + ", which the simulator needs: the page shows the prediction, and nothing can be changed.";
    section.querySelectorAll("button").forEach((b) => { b.disabled = true; });
    return;
  }
  let answer;
  try {
    answer = await simulator.load();
  } catch (e) {
    answer = { error: e.message };
  }
  if (answer.error) {
    byId("changes").textContent = "The simulator does not start: " + answer.error + ". The page shows the prediction.";
    section.querySelectorAll("button").forEach((b) => { b.disabled = true; });
    return;
  }
  byId("exactness").hidden = !answer.traced_on;
  buildPanel(answer);
  buildSweep();
  whatif.ready = true;
  // The first simulation is recorded, so that the first change is quick.
  const first = await simulator.ask({ page: base.setting });
  if (first.error) fail(first.error);
  else if (same(whatif.setting, base.setting)) take(copy(base.setting), first);
  settle();
}

begin();
