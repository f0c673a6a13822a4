// Pictures. What they show is also said in words, in titles and labels.

// bar draws the parts of Total time side by side.
function bar(parts) {
  let x = 0, label = "Total time by use:";
  const rects = [];
  for (const part of parts) {
    const width = Math.min(part.share * 1000, 1000 - x);
    if (width >= 0.05) {
      const words = part.label + " " + percent(part.share);
      label += " " + words + ";";
      rects.push(svg("rect", { class: "p-" + part.key, x: x.toFixed(1), width: width.toFixed(1), height: 20 },
        svg("title", null, words)));
    }
    x += Math.max(0, width);
  }
  return svg("svg", { class: "bar", viewBox: "0 0 1000 20", preserveAspectRatio: "none", role: "img",
    "aria-label": rects.length ? label : "No time was spent" }, rects);
}

// perProcessor are the parts of one processor's time, from the columns of a
// class of processors.
const perProcessor = [
  ["cpu", "Productive CPU", (c) => c.cpu - c.iuser],
  ["sys", "Productive SYS", (c) => c.sys - c.isyst],
  ["io", "I/O", (c) => c.ptimei],
  ["iusr", "Insufficient parallelism USR", (c) => c.iuser],
  ["isys", "Insufficient parallelism SYS", (c) => c.isyst],
  ["wait", "Communications: real synchronization", (c) => c.csyn],
  ["comm", "Communications: exchanges", (c) => c.comm - c.csyn],
  ["idle", "Idle time", (c) => c.idle],
];

// strip draws the classes of processors along x, each as wide as it has
// processors, and the time of one of its processors upwards.
function strip(classes) {
  const width = 960, height = 150, left = 70, base = 165;
  const processors = classes.reduce((sum, c) => sum + c.n, 0);
  const most = Math.max(...classes.map((c) => c.exec + c.idle));
  const shapes = [];
  for (let i = 0; i <= 4; i++) {
    const y = base - (height * i) / 4;
    shapes.push(svg("line", { class: "tick", x1: left, x2: left + width, y1: y, y2: y }),
      svg("text", { class: "axis end", x: left - 6, y: y + 4 }, timeText((most * i) / 4)));
  }
  let from = 0;
  for (const c of classes) {
    const x = left + (width * from) / processors;
    const w = Math.max(0.4, (width * c.n) / processors);
    const group = svg("g", null, svg("title", null,
      c.name + ", " + c.n + (c.n === 1 ? " processor" : " processors") + ": execution time " + timeText(c.exec) +
      perProcessor.map(([, label, get]) => [label, get(c)]).filter(([, t]) => t > 0).map(([label, t]) => "\n" + label + " " + timeText(t)).join("")));
    let y = base;
    for (const [key, , get] of perProcessor) {
      const h = most > 0 ? (height * Math.max(0, get(c))) / most : 0;
      if (h < 0.05) continue;
      y -= h;
      group.append(svg("rect", { class: "p-" + key, x: x.toFixed(2), y: y.toFixed(2), width: w.toFixed(2), height: h.toFixed(2) }));
    }
    shapes.push(group);
    from += c.n;
  }
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const n = Math.round(processors * share);
    shapes.push(svg("text", { class: "axis " + (share === 0 ? "" : share === 1 ? "end" : "middle"), x: left + width * share, y: base + 16 }, String(n)));
  }
  return svg("svg", { class: "chart", viewBox: "0 0 1040 190", role: "img",
    "aria-label": "The time of one processor by use, for " + processors + " processors in " + classes.length + " classes, side by side; the table below has the figures" }, shapes);
}

// ranges reads "0,2-4" as [[0, 1], [2, 5]].
function ranges(set) {
  return set.split(",").map((part) => {
    const [first, last] = part.split("-").map(Number);
    return [first, (last === undefined ? first : last) + 1];
  });
}

const maxCells = 3000;

// heatMap draws a grid of two dimensions: a rectangle for each block of equal
// processors, the darker the more it has of a figure. It returns null when there are too many.
function heatMap(grid, classes, anchor, label) {
  const get = (c) => c[anchor];
  const least = Math.min(...classes.map(get)), most = Math.max(...classes.map(get));
  // Small differences stay pale.
  const range = Math.max(most - least, most / 5);
  const cells = [];
  for (const c of classes) {
    const shade = range > 0 ? Math.round((9 * (get(c) - least)) / range) : 0;
    for (const box of c.boxes) {
      for (const [r0, r1] of ranges(box[0])) {
        for (const [c0, c1] of ranges(box[1])) {
          if (!(r1 > r0 && c1 > c0)) continue;
          cells.push(svg("rect", { class: "h" + shade, x: c0, y: r0, width: c1 - c0, height: r1 - r0 },
            svg("title", null, c.name + ": " + timeText(get(c)))));
          if (cells.length > maxCells) return null;
        }
      }
    }
  }
  const [rows, columns] = grid;
  return svg("svg", { class: "heat", viewBox: `0 0 ${columns} ${rows}`, preserveAspectRatio: "none", role: "img",
    "aria-label": `${label} on the grid of ${rows} × ${columns} processors, from ${timeText(least)} to ${timeText(most)}` }, cells);
}
