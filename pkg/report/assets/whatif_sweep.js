// Charts of execution time and efficiency over a parameter, or over processors,
// drawn as they are computed.
const sweep = { running: 0 };

// points returns what a chart has on its horizontal axis: positions with the
// settings that are simulated for each, of which the fastest is shown.
function points(what) {
  if (what === "processors") {
    const most = Math.max(1, Math.min(4096, Math.floor(Number(byId("most").value)) || 1));
    const rank = whatif.setting.grid.length;
    const counts = [];
    for (let n = 1; n <= most; n = n < 16 ? n + 1 : n % 3 === 0 ? (n / 3) * 4 : (n / 2) * 3) counts.push(n);
    return counts.map((n) => ({ x: n, settings: gridsOf(n, rank).map((grid) => ({ ...copy(whatif.setting), grid })) }));
  }
  const control = whatif.controls.find((c) => c.what === what);
  const middle = valueOf(whatif.setting, control);
  const values = [];
  if (control.whole) {
    for (let v = 1; v <= Math.min(32, 2 * middle); v++) values.push(v);
  } else if (middle === 0) {
    for (let i = 0; i <= 24; i++) values.push(i === 0 ? 0 : digits(smallest(control) * 10 ** (i / 4)));
  } else {
    for (let i = -12; i <= 12; i++) values.push(i === 0 ? middle : digits(middle * 10 ** (i / 12)));
  }
  return values.map((x) => {
    const setting = copy(whatif.setting);
    setValue(setting, control, x);
    return { x, settings: [setting] };
  });
}

// gridsOf returns the grids of a rank with n processors.
function gridsOf(n, rank) {
  if (rank <= 1) return [[n]];
  const list = [];
  for (let f = n; f >= 1; f--) {
    if (n % f === 0) for (const rest of gridsOf(n / f, rank - 1)) list.push([f, ...rest]);
  }
  return list;
}

async function startSweep() {
  simulator.stop("time");
  const mine = ++sweep.running;
  const what = byId("over").value;
  const list = points(what);
  const made = [];
  let failed = 0, last = "", done = 0;
  const total = list.reduce((sum, p) => sum + p.settings.length, 0);
  byId("stop").hidden = false;
  byId("best").replaceChildren();
  for (const point of list) {
    let best = null;
    for (const setting of point.settings) {
      let answer;
      do {
        if (mine !== sweep.running) return;
        answer = await simulator.ask({ time: setting });
      } while (answer.stopped); // a change of the setting goes first
      done++;
      if (answer.error) { failed++; last = answer.error; continue; }
      if (!best || answer.time < best.time) best = { x: point.x, time: answer.time, efficiency: answer.efficiency, setting };
    }
    if (mine !== sweep.running) return;
    if (best) made.push(best);
    byId("chart").replaceChildren(sweepChart(made, list, what));
    byId("swept").textContent = done + " of " + total + " simulated" + (failed ? ", " + failed + " cannot be simulated (" + last + ")" : "");
  }
  byId("stop").hidden = true;
  if (what === "processors") listBest(made);
}

function stopSweep() {
  sweep.running++;
  simulator.stop("time");
  byId("stop").hidden = true;
  byId("go").focus();
  byId("swept").textContent += ", stopped";
}

// sweepChart draws what is computed; the axis is that of all points.
function sweepChart(made, list, what) {
  const width = 820, height = 220, left = 70, base0 = 240;
  const xs = list.map((p) => p.x);
  const logarithmic = xs[0] > 0;
  const from = xs[0], to = xs[xs.length - 1];
  const scale = (x) => (to === from ? 0.5 : logarithmic ? Math.log(x / from) / Math.log(to / from) : (x - from) / (to - from));
  const at = (x) => left + width * scale(x);
  const most = made.reduce((m, p) => Math.max(m, p.time), 0) * 1.05 || 1;
  const parts = [];
  for (let i = 0; i <= 4; i++) {
    const y = base0 - (height * i) / 4;
    parts.push(svg("line", { class: "tick", x1: left, x2: left + width, y1: y, y2: y }),
      svg("text", { class: "axis end", x: left - 6, y: y + 4 }, timeText((most * i) / 4)),
      svg("text", { class: "axis", x: left + width + 8, y: y + 4 }, 25 * i + "\u00a0%"));
  }
  for (const i of [0, 0.25, 0.5, 0.75, 1]) {
    const x = xs[Math.round(i * (xs.length - 1))];
    parts.push(svg("text", { class: "axis middle", x: at(x), y: base0 + 16 }, String(x)));
  }
  const line = (name, get, words) => {
    parts.push(svg("polyline", { class: name, points: made.map((p) => at(p.x).toFixed(1) + "," + get(p).toFixed(1)).join(" ") }));
    for (const p of made) parts.push(svg("circle", { class: name, cx: at(p.x).toFixed(1), cy: get(p).toFixed(1), r: 3 }, svg("title", null, words(p))));
  };
  const words = (p) => what + " " + p.x + (what === "processors" ? ", grid " + p.setting.grid.join("x") : "") + ": " + timeText(p.time) + ", efficiency " + percent(p.efficiency);
  line("s0", (p) => base0 - (height * p.time) / most, words);
  line("s2", (p) => base0 - height * Math.min(1, Math.max(0, p.efficiency)), words);
  const now = what === "processors" ? whatif.setting.grid.reduce((a, b) => a * b, 1) : valueOf(whatif.setting, whatif.controls.find((c) => c.what === what));
  if (now >= from && now <= to) parts.push(svg("line", { class: "here", x1: at(now), x2: at(now), y1: base0 - height, y2: base0 }, svg("title", null, "the setting")));
  return svg("svg", { class: "chart lines", viewBox: "0 0 960 265", role: "img",
    "aria-label": "Execution time and efficiency over " + what + ", " + made.length + " points" + (made.length ? ", from " + timeText(made[0].time) + " to " + timeText(made[made.length - 1].time) : "") }, parts);
}

// listBest lists the best grid of each count, to choose it.
function listBest(made) {
  byId("best").replaceChildren(el("table", null, el("caption", null, "The best grid of each count of processors, to choose it"),
    el("thead", null, el("tr", null, ["Processors", "Grid", "Execution time", "Efficiency"].map((s) => el("th", { scope: "col" }, s)))),
    el("tbody", null, made.map((p) => el("tr", null, el("th", { scope: "row" }, String(p.x)),
      el("td", null, el("button", { type: "button", "aria-label": "choose the grid " + p.setting.grid.join("x"), click: () => { release(); change("grid", (s) => { s.grid = p.setting.grid; }); } }, p.setting.grid.join("x"))),
      cell(p.time, "s"), cell(p.efficiency, "ratio"))))));
}

// buildSweep makes the controls of the chart.
function buildSweep() {
  const most = whatif.setting.grid.reduce((a, b) => a * b, 1);
  const count = el("label", { id: "mostof" }, "up to ", el("input", { id: "most", type: "number", min: 1, max: 4096, value: Math.max(16, most) }));
  const show = () => { count.hidden = byId("over").value !== "processors"; };
  byId("sweep").replaceChildren(
    el("div", { class: "tools" }, el("label", null, "Over ", el("select", { id: "over", change: show },
      el("option", { value: "processors" }, "processors, the best grid of each count"),
      whatif.controls.map((c) => el("option", { value: c.what }, c.what)))), count,
    el("button", { id: "go", type: "button", click: startSweep }, "Draw"),
    el("button", { id: "stop", type: "button", hidden: true, click: stopSweep }, "Stop"), el("span", { id: "swept", class: "note", "aria-live": "polite" })),
    el("div", { id: "chart" }),
    el("p", { class: "note keys" }, el("span", null, svg("svg", { class: "swatch lines", viewBox: "0 0 10 10", "aria-hidden": "true" }, svg("circle", { class: "s0", cx: 5, cy: 5, r: 4 })), "Execution time"), " ",
      el("span", null, svg("svg", { class: "swatch lines", viewBox: "0 0 10 10", "aria-hidden": "true" }, svg("circle", { class: "s2", cx: 5, cy: 5, r: 4 })), "Efficiency")),
    el("div", { id: "best" }));
}
