// The panel of controls.

// The rows of controls: of parameters by the list of changes and the name that a
// change is about, of others by their names.
const rowOf = new Map();
const rowKey = (control) => listOf(control) + " " + control.what;

// keyOf returns the name that a change is about, of the list "set" or "scale".
function keyOf(list, text) {
  return text.slice(0, list === "scale" ? text.lastIndexOf("=") : text.indexOf("="));
}

function listOf(control) { return control.scale ? "scale" : "set"; }

// changeOf returns the change of a control in a setting, undefined without one.
function changeOf(setting, control) {
  const list = listOf(control);
  return setting[list].find((text) => keyOf(list, text) === control.what);
}

function valueOf(setting, control) {
  const text = changeOf(setting, control);
  return text === undefined ? control.value : Number(text.slice(keyOf(listOf(control), text).length + 1).split(" ")[0]);
}

// restore makes the change of a control what it is in another setting.
function restore(setting, other, control) {
  const list = listOf(control), before = changeOf(other, control);
  const at = setting[list].findIndex((text) => keyOf(list, text) === control.what);
  if (before === undefined) {
    if (at >= 0) setting[list].splice(at, 1);
  } else if (at >= 0) setting[list][at] = before;
  else setting[list].push(before);
}

// setValue makes value that of a control; the value before any change is no
// change.
function setValue(setting, control, value) {
  const list = listOf(control);
  const at = setting[list].findIndex((text) => keyOf(list, text) === control.what);
  const text = control.what + "=" + value;
  if (Number(value) === control.value) {
    if (at >= 0) setting[list].splice(at, 1);
  } else if (at >= 0) setting[list][at] = text;
  else setting[list].push(text);
}

// Sliders go by ratios: 100 steps are a factor of ten. Those of whole numbers
// go by one; those of 0 have 0 at their left end.
const steps = 200;
const digits = (x) => Number(x.toPrecision(4));

function smallest(control) { return control.unit && control.unit.startsWith("s") ? 1e-9 : 1e-3; }

function ofSlider(control, position) {
  if (control.whole) return position;
  if (control.value === 0) return position <= -steps ? 0 : digits(smallest(control) * 10 ** ((position + steps) / 50));
  return position === 0 ? control.value : digits(control.value * 10 ** (position / 100));
}

function toSlider(control, value) {
  if (control.whole) return value;
  if (control.value === 0) return value <= 0 ? -steps : Math.round(50 * Math.log10(value / smallest(control))) - steps;
  return value > 0 ? Math.round(100 * Math.log10(value / control.value)) : -steps;
}

// knob makes the row of a control.
function knob(control) {
  const words = (control.scale ? "factor of the " : "") + (control.words || "");
  const slider = el("input", {
    type: "range", "aria-label": control.what + " slider", "data-slider": control.what,
    min: control.whole ? 1 : -steps, max: control.whole ? Math.max(16, 2 * control.value) : steps, step: 1,
    input: (e) => change(rowKey(control), (s) => setValue(s, control, ofSlider(control, Number(e.target.value))), rowKey(control)), change: release,
  });
  const number = el("input", {
    type: "text", inputmode: "decimal", "aria-label": control.what, "data-number": control.what, autocomplete: "off",
    change: (e) => { release(); change(rowKey(control), (s) => setValue(s, control, e.target.value.trim() || control.value)); },
    blur: () => control.draw(),
  });
  const back = el("button", { type: "button", "aria-label": "reset " + control.what, click: () => {
    release();
    change(rowKey(control), (s) => restore(s, base.setting, control));
    number.focus(); // the button is not there any more
  } }, "reset");
  const row = el("div", { class: "knob", "data-knob": control.what }, el("span", { class: "name" }, el("b", null, control.what), " ",
    el("span", { class: "note" }, words)), slider, number, el("span", { class: "unit note" }, control.scale ? "times" : control.unit || ""), back);
  rowOf.set(rowKey(control), row);
  control.draw = () => {
    const value = valueOf(whatif.setting, control);
    const changed = changeOf(whatif.setting, control) !== changeOf(base.setting, control);
    slider.value = toSlider(control, value);
    // What is being typed stays.
    if (document.activeElement !== number) number.value = Number.isNaN(value) ? changeOf(whatif.setting, control).split("=").pop() : String(value);
    row.classList.toggle("changed", changed);
    back.hidden = !changed;
  };
  return row;
}

// gridControl makes the controls of the grid.
function gridControl() {
  const text = el("input", { type: "text", id: "grid", autocomplete: "off", size: 10, change: (e) => {
    release();
    change("grid", (s) => { s.grid = e.target.value.trim().toLowerCase().split(/[x×\s*,]+/).map((n) => (/^\d+$/.test(n) ? Number(n) : 0)); });
  }, blur: () => gridControl.draw() });
  const sliders = el("span", { class: "sliders" });
  const row = el("div", { class: "knob", "data-knob": "grid" }, el("label", { class: "name" }, el("b", null, "Processor grid "), text), sliders,
    el("button", { type: "button", "aria-label": "reset the grid", click: () => { release(); change("grid", (s) => { s.grid = copy(base.setting.grid); }); text.focus(); } }, "reset"));
  rowOf.set("grid", row);
  gridControl.draw = () => {
    if (document.activeElement !== text) text.value = whatif.setting.grid.join("x");
    const n = whatif.setting.grid.length;
    while (sliders.children.length > n) sliders.lastChild.remove();
    while (sliders.children.length < n) {
      const k = sliders.children.length;
      sliders.append(el("input", { type: "range", min: 1, max: Math.max(64, base.setting.grid[k] || 1), step: 1, "aria-label": "extent " + (k + 1) + " of the grid", "data-extent": k,
        input: (e) => change("grid", (s) => { s.grid[k] = Number(e.target.value); }, "grid " + k), change: release }));
    }
    whatif.setting.grid.forEach((extent, k) => { sliders.children[k].value = extent; });
    const changed = !same(whatif.setting.grid, base.setting.grid);
    row.classList.toggle("changed", changed);
    row.querySelector("button").hidden = !changed;
  };
  return row;
}

// choiceControl makes the control of an option: get and put read and write it in
// a setting.
function choiceControl(name, words, values, get, put) {
  const select = el("select", { "data-option": name, "aria-label": name, change: (e) => { release(); change(name, (s) => put(s, e.target.value)); } },
    values.map((v) => el("option", { value: v }, v || "the first processor, as changed")));
  const row = el("div", { class: "knob", "data-knob": name }, el("span", { class: "name" }, el("b", null, name), " ", el("span", { class: "note" }, words)), select);
  rowOf.set(name, row);
  whatif.draws.push(() => {
    select.value = get(whatif.setting);
    row.classList.toggle("changed", get(whatif.setting) !== get(base.setting));
  });
  return row;
}

// changes lists what is changed against the prediction, in words.
function changes(setting) {
  const words = (list, text) => keyOf(list, text) + (list === "set" ? " = " : " × ") + text.slice(keyOf(list, text).length + 1);
  const list = [];
  for (const name of ["set", "scale"]) {
    list.push(...setting[name].filter((s) => !base.setting[name].includes(s)).map((s) => words(name, s)));
    const keys = setting[name].map((s) => keyOf(name, s));
    list.push(...base.setting[name].filter((s) => !keys.includes(keyOf(name, s))).map((s) => "no " + words(name, s)));
  }
  if (!same(setting.grid, base.setting.grid)) list.push("grid " + setting.grid.join("x"));
  for (const [name, value] of Object.entries(setting.options)) {
    if (value !== base.setting.options[name]) list.push(name + " " + value);
  }
  if (setting.order !== base.setting.order) list.push("order " + (setting.order || "file"));
  if ((setting.traced_on || "") !== (base.setting.traced_on || "")) list.push("traced on " + (setting.traced_on || "the first processor, as changed"));
  return list;
}

// differing lists the keys of the controls that two settings have otherwise.
function differing(a, b) {
  const list = whatif.controls.filter((c) => changeOf(a, c) !== changeOf(b, c)).map(rowKey);
  if (!same(a.grid, b.grid)) list.push("grid");
  list.push(...Object.keys(a.options).filter((name) => a.options[name] !== b.options[name]));
  if (a.order !== b.order) list.push("order");
  if (a.traced_on !== b.traced_on) list.push("traced-on");
  return list;
}

function difference(now, then) {
  if (then === 0 || now === then) return "";
  const share = now / then - 1;
  const words = percent(Math.abs(share));
  return words.startsWith("<") ? words : (share < 0 ? "−" : "+") + words;
}

// drawPanel shows the setting and the figures of it.
function drawPanel() {
  if (!whatif.controls.length && !whatif.draws) return;
  for (const c of whatif.controls) c.draw && c.draw();
  for (const draw of whatif.draws) draw();
  gridControl.draw();
  const list = changes(whatif.setting);
  byId("changes").textContent = list.length ? "Changed: " + list.join("; ") : "Nothing is changed.";
  // They keep the focus when there is nothing to do for them any more.
  byId("undo").ariaDisabled = !whatif.past.length;
  byId("reset").ariaDisabled = same(whatif.setting, base.setting);
  const [number, unit] = time(whatif.time);
  byId("now").textContent = "Execution time " + number + "\u00a0" + unit + (difference(whatif.time, whatif.first.time) && " (" + difference(whatif.time, whatif.first.time) + ")") +
    ", efficiency " + percent(whatif.efficiency);
  byId("now").dataset.time = whatif.time;
  byId("command").value = whatif.command;
}

const many = 16; // controls that need no filter

// knobs makes the rows of some controls; many of them scroll and have a filter.
function knobs(title, controls, open) {
  if (!controls.length) return "";
  const rows = controls.map(knob);
  const filter = (words) => { for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(words); };
  return el("details", { open, class: "group" }, el("summary", null, title + " (" + rows.length + ")"),
    rows.length > many && el("label", null, "Filter ", el("input", { type: "search", autocomplete: "off", input: (e) => filter(e.target.value.trim().toLowerCase()) })),
    el("div", rows.length > many ? { class: "long", tabindex: 0, role: "region", "aria-label": title } : null, rows));
}

// buildPanel makes the panel; the simulator said what can be changed.
function buildPanel(start) {
  whatif.draws = [];
  whatif.controls = start.controls || [];
  const groups = whatif.controls.filter((c) => c.scale), single = whatif.controls.filter((c) => !c.scale);
  const options = start.choices.map((c) => choiceControl(c.name, c.doc, c.values, (s) => s.options[c.name], (s, v) => { s.options[c.name] = v; }));
  options.push(choiceControl("order", "which processors of the machine the grid takes first", start.orders, (s) => s.order || start.orders[0], (s, v) => {
    if (v !== start.orders[0]) s.order = v; else delete s.order;
  }));
  if (start.traced_on) {
    options.push(choiceControl("traced-on", "the processor that has power 1", start.traced_on, (s) => s.traced_on || "", (s, v) => {
      if (v) s.traced_on = v; else delete s.traced_on;
    }));
  }
  byId("panel").replaceChildren(
    el("fieldset", null, el("legend", null, "Grid and options"), gridControl(), options),
    knobs("Groups of parameters", groups, true),
    knobs("Parameters of the machine", single, single.length <= many),
    start.unlisted ? el("p", { class: "note" }, "The machine has more parameters; dvmsim --set changes any of them.") : "",
    whatif.controls.length ? "" : el("p", { class: "note" }, "The page was made without the text of the machine, whose parameters cannot be changed here; dvmreport takes it with -m."));
}
