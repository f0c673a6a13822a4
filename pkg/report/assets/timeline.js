// The timeline: a row for each set of processors that do the same all the time.
// What is narrower than a pixel is drawn as what takes most of the pixel; groups of
// spans that are narrower are known by their sums.
const gantt = byId("gantt") && byId("spans") ? (() => {
  const source = JSON.parse(byId("spans").textContent);
  // Of each set: begins, ends, kinds with operations, intervals and calls.
  const kinds = source.kinds.length, group = 64;
  const sets = source.sets.map((flat) => {
    const n = flat.length / 5;
    const s = { n, start: new Float64Array(n), end: new Float64Array(n), what: new Uint8Array(n), node: new Int32Array(n), seq: new Float64Array(n), lanes: [] };
    let end = 0, seq = 0;
    for (let i = 0; i < n; i++) {
      s.start[i] = end + flat[5 * i];
      end = s.end[i] = s.start[i] + flat[5 * i + 1];
      s.what[i] = flat[5 * i + 2];
      s.node[i] = flat[5 * i + 3];
      seq = s.seq[i] = seq + flat[5 * i + 4];
    }
    s.sums = new Float64Array(Math.ceil(n / group) * kinds);
    for (let i = 0; i < n; i++) s.sums[Math.floor(i / group) * kinds + (s.what[i] >> 3)] += s.end[i] - s.start[i];
    return s;
  });
  const lanes = source.lanes.map(([name, n, list], i) => {
    for (const k of list) sets[k].lanes.push(i);
    return { name, n, sets: list.map((k) => sets[k]) };
  });
  const total = Math.max(1e-300, ...sets.map((s) => (s.n ? s.end[s.n - 1] : 0)));
  const rowHeight = lanes.length <= 16 ? 20 : lanes.length <= 64 ? 12 : 5;
  const axis = 22;
  let from = 0, to = total, lane = 0, picked = null;

  const canvas = el("canvas", { id: "spans-canvas", tabindex: 0, role: "application",
    "aria-label": "Timeline of " + lanes.length + " rows. Left and right go to the span before and behind, up and down to other processors, plus and minus zoom, Home shows all." });
  const read = el("p", { id: "span", class: "note", "aria-live": "polite" }, "Point at a span, or choose one with the arrow keys.");
  const button = (label, name, act) => el("button", { class: "step", "aria-label": name, click: act }, label);
  byId("gantt").append(
    el("form", { class: "controls", submit: (e) => e.preventDefault() },
      button("+", "Zoom in", () => zoom(0.5)), button("−", "Zoom out", () => zoom(2)), button("all", "Show all", () => { from = 0; to = total; draw(); }),
      button("◂", "Earlier", () => pan(-0.5)), button("▸", "Later", () => pan(0.5)),
      el("span", { class: "note keys" }, source.kinds.map(([key, label]) => el("span", null,
        svg("svg", { class: "swatch", viewBox: "0 0 10 10", "aria-hidden": "true" }, svg("rect", { class: "p-" + key, width: 10, height: 10 })), label)))),
    el("div", { class: "wide rows" }, canvas), read);

  const margin = () => (rowHeight >= 12 ? Math.min(110, 14 + 7 * Math.max(...lanes.map((l) => l.name.length))) : 6);
  const width = () => canvas.clientWidth;
  const scale = () => (width() - margin()) / (to - from);

  // first returns the first span of a set that ends behind t.
  function first(s, t) {
    let a = 0, b = s.n;
    while (a < b) {
      const mid = (a + b) >> 1;
      if (s.end[mid] > t) b = mid; else a = mid + 1;
    }
    return a;
  }

  function draw() {
    const ratio = devicePixelRatio || 1, w = width(), h = axis + lanes.length * rowHeight;
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
    const style = getComputedStyle(document.documentElement);
    const colour = source.kinds.map(([key]) => style.getPropertyValue("--p-" + key));
    const c = canvas.getContext("2d");
    c.scale(ratio, ratio);
    c.clearRect(0, 0, w, h);
    c.font = "11px system-ui, sans-serif";
    c.textBaseline = "middle";
    c.fillStyle = style.getPropertyValue("--soft");
    const left = margin(), k = scale();
    for (let i = 0; i <= 4; i++) {
      const t = from + ((to - from) * i) / 4, x = left + (t - from) * k;
      c.textAlign = i === 0 ? "left" : i === 4 ? "right" : "center";
      c.fillText(timeText(t), x, axis / 2);
      c.fillRect(Math.min(x, w - 1), axis - 4, 1, 4);
    }
    c.textAlign = "right";
    if (rowHeight >= 12) lanes.forEach((l, i) => c.fillText(l.name, left - 6, axis + (i + 0.5) * rowHeight, left - 8));
    let drawn = 0;
    const amount = new Float64Array(kinds);
    for (const s of sets) {
      if (s.lanes.length === 0) continue;
      let begin = -1, last = -1, what = -1, pixel = -1;
      const blit = () => {
        if (what < 0) return;
        c.fillStyle = colour[what];
        for (const i of s.lanes) c.fillRect(begin, axis + i * rowHeight, last - begin, rowHeight - (rowHeight > 5 ? 2 : 0));
        drawn++;
      };
      const put = (x0, x1, kind) => {
        if (kind !== what || x0 > last + 0.01) { blit(); begin = x0; what = kind; }
        last = x1;
      };
      const settle = () => {
        if (pixel < 0) return;
        let most = 0;
        for (let i = 1; i < kinds; i++) if (amount[i] > amount[most]) most = i;
        put(pixel, pixel + 1, most);
        amount.fill(0);
        pixel = -1;
      };
      for (let i = first(s, from); i < s.n && s.start[i] < to; i++) {
        if (i % group === 0 && i + group <= s.n && (s.end[i + group - 1] - s.start[i]) * k < 1) {
          const at = Math.floor(left + Math.max(0, s.start[i] - from) * k);
          if (at !== pixel) { settle(); pixel = at; }
          for (let j = 0; j < kinds; j++) amount[j] += s.sums[(i / group) * kinds + j] * k;
          i += group - 1;
          continue;
        }
        const x0 = left + Math.max(0, s.start[i] - from) * k, x1 = left + (Math.min(to, s.end[i]) - from) * k;
        if (x1 - x0 >= 1) { settle(); put(x0, x1, s.what[i] >> 3); continue; }
        const at = Math.floor(x0);
        if (at !== pixel) { settle(); pixel = at; }
        amount[s.what[i] >> 3] += x1 - x0;
      }
      settle();
      blit();
    }
    if (picked) {
      const { s, i } = picked, x0 = left + (s.start[i] - from) * k, x1 = left + (s.end[i] - from) * k;
      c.strokeStyle = style.getPropertyValue("--fg");
      c.lineWidth = 2;
      if (x1 >= left && x0 <= w) c.strokeRect(Math.max(left, x0), axis + lane * rowHeight, Math.max(2, Math.min(w, x1) - Math.max(left, x0)), rowHeight - 1);
    }
    canvas.dataset.runs = drawn;
  }

  // at returns the span of a row at a time, or the first one behind it.
  function at(row, t) {
    let best = null;
    for (const s of lanes[row].sets) {
      const i = first(s, t);
      if (i < s.n && (!best || s.start[i] < best.s.start[best.i])) best = { s, i };
    }
    return best;
  }

  function before(row, t) {
    let best = null;
    for (const s of lanes[row].sets) {
      const i = first(s, t) - 1;
      if (i >= 0 && (!best || s.end[i] > best.s.end[best.i])) best = { s, i };
    }
    return best;
  }

  function show(span, moved) {
    if (!span) return;
    picked = span;
    const { s, i } = span, kind = s.what[i] >> 3, op = (s.what[i] & 7) - 1, node = numbered.get(s.node[i]), l = lanes[lane];
    if (moved && (s.end[i] <= from || s.start[i] >= to)) {
      const half = (to - from) / 2;
      from = Math.max(0, Math.min(total - 2 * half, s.start[i] - half));
      to = from + 2 * half;
    }
    read.replaceChildren((l.n === 1 ? "Processor " : l.n + " processors ") + l.name + ": " + source.kinds[kind][1] + (op >= 0 ? " (" + data.kinds[op] + ")" : "") +
      ", " + timeText(s.end[i] - s.start[i]) + " from " + timeText(s.start[i]) + " on, call " + s.seq[i] + ", in ",
    node ? el("a", { href: "#i" + node.id }, title(node)) : "an interval");
    draw();
  }

  function zoom(factor, around) {
    const middle = around ?? (picked && picked.s.end[picked.i] > from && picked.s.start[picked.i] < to
      ? (Math.max(from, picked.s.start[picked.i]) + Math.min(to, picked.s.end[picked.i])) / 2 : (from + to) / 2);
    const length = Math.min(total, Math.max(total * 1e-12, (to - from) * factor));
    from = Math.max(0, Math.min(total - length, middle - ((middle - from) / (to - from)) * length));
    to = from + length;
    draw();
  }

  function pan(share) {
    const length = to - from;
    from = Math.max(0, Math.min(total - length, from + share * length));
    to = from + length;
    draw();
  }

  const keys = {
    ArrowRight: () => show(picked ? at(lane, picked.s.end[picked.i]) : at(lane, from), true),
    ArrowLeft: () => show(picked ? before(lane, picked.s.start[picked.i] + (picked.s.end[picked.i] - picked.s.start[picked.i]) / 2) : at(lane, from), true),
    ArrowDown: () => row(1), ArrowUp: () => row(-1),
    "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2),
    Home: () => { from = 0; to = total; draw(); }, PageUp: () => pan(-0.8), PageDown: () => pan(0.8),
  };
  function row(step) {
    const t = picked ? picked.s.start[picked.i] : from;
    lane = Math.max(0, Math.min(lanes.length - 1, lane + step));
    show(at(lane, t), true);
  }
  canvas.addEventListener("keydown", (e) => {
    if (!keys[e.key] || e.ctrlKey || e.altKey || e.metaKey) return;
    e.preventDefault();
    keys[e.key]();
  });

  // The mouse: pointing reads, dragging moves, the wheel with Ctrl zooms.
  let drag = null;
  const timeAt = (e) => from + (e.offsetX - margin()) / scale();
  const rowAt = (e) => Math.floor((e.offsetY - axis) / rowHeight);
  canvas.addEventListener("pointerdown", (e) => { drag = { x: e.offsetX, from, to }; canvas.setPointerCapture(e.pointerId); });
  canvas.addEventListener("pointerup", () => { drag = null; });
  canvas.addEventListener("pointermove", (e) => {
    if (drag) {
      const length = drag.to - drag.from;
      from = Math.max(0, Math.min(total - length, drag.from - (e.offsetX - drag.x) / scale()));
      to = from + length;
      draw();
      return;
    }
    const k = rowAt(e);
    if (k < 0 || k >= lanes.length || e.offsetX < margin()) return;
    const span = at(k, timeAt(e));
    if (!span || picked && span.s === picked.s && span.i === picked.i && k === lane) return;
    lane = k;
    show(span, false);
  });
  canvas.addEventListener("wheel", (e) => {
    if (!e.ctrlKey) return;
    e.preventDefault();
    zoom(e.deltaY > 0 ? 1.4 : 1 / 1.4, timeAt(e));
  }, { passive: false });
  canvas.setAttribute("height", axis + lanes.length * rowHeight);
  new ResizeObserver(draw).observe(canvas.parentElement);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  return { draw };
})() : null;
