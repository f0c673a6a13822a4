// The paragraph of one interval.
let chosen = null;
let heatAnchor = "exec";

function definition(f) {
  return el("a", { class: "def", href: "#def-" + f.def, title: f.definition + ": " + f.formula }, f.label);
}

function figureCell(node, f) {
  const x = node.values[column[f.anchor]];
  return cell(x, f.unit, { id: "i" + node.id + "-" + f.anchor, "data-name": f.anchor });
}

function mainTable(node) {
  const total = figure(node, "total");
  const rows = figures.filter((f) => f.kind === undefined).map((f) => el("tr", null,
    el("th", { scope: "row", class: "d" + f.depth }, definition(f)), figureCell(node, f),
    el("td", null, f.part ? percent(total === 0 ? 0 : figure(node, f.anchor) / total) : "")));
  return el("table", { class: "main" }, el("caption", null, "Main characteristics"),
    el("thead", null, el("tr", null, ["Characteristic", "Value", "Of Total time"].map((s) => el("th", { scope: "col" }, s)))),
    el("tbody", null, rows));
}

function kindsTable(node) {
  const first = figures.filter((f) => f.kind === 0);
  const rows = data.kinds.map((kind, k) => el("tr", null, el("th", { scope: "row" }, kind),
    figures.filter((f) => f.kind === k).map((f) => figureCell(node, f))));
  return el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Operations" },
    el("table", { class: "kinds" }, el("caption", null, "Communication operations"),
      el("thead", null, el("tr", null, el("th", { scope: "col" }, "Kind"), first.map((f) => el("th", { scope: "col" }, definition(f))))),
      el("tbody", null, rows)));
}

function popTable(node) {
  if (!node.pop) return null;
  return el("table", { class: "pop" }, el("caption", null, "POP metrics"),
    el("thead", null, el("tr", null, ["Metric", "Value"].map((s) => el("th", { scope: "col" }, s)))),
    el("tbody", null, data.pop.map((f, i) => el("tr", null,
      el("th", { scope: "row", class: "d" + f.depth }, el("span", { class: "def", title: f.definition }, f.label)),
      cell(node.pop[i], f.unit, { id: "i" + node.id + "-" + f.anchor, "data-name": f.anchor })))));
}

function navigation(node) {
  const to = (word, other) => (other ? el("a", { href: "#i" + other.id }, word) : el("span", { class: "off" }, word));
  return el("nav", { "aria-label": "Interval " + node.id }, to("UP", node.up), " ", to("PRED", node.pred), " ", to("NEXT", node.next), " ",
    el("a", { href: "#top" }, "HOME"), " ", el("a", { href: "#definitions" }, "DEFINITIONS"));
}

// classesOf returns the classes of processors as objects.
function classesOf(node) {
  return node.classes.map(([n, boxes, rank, values]) => {
    const c = { n, boxes, rank };
    if (rank !== null && data.grid.length === 2) {
      c.boxes = [[String(Math.floor(rank / data.grid[1])), String(rank % data.grid[1])]];
    }
    data.columns.forEach((anchor, i) => { c[anchor] = values[i]; });
    c.name = rank !== null ? "processor " + rank
      : boxes.length === 0 ? "not stated"
        : boxes.slice(0, 8).map((box) => "(" + box.join("; ") + ")").join(", ") + (boxes.length > 8 ? ", and more" : "");
    return c;
  });
}

// extremes returns the least, mean and greatest value and who has them.
function extremes(classes, anchor) {
  let least = classes[0], most = classes[0], sum = 0, n = 0;
  for (const c of classes) {
    if (c[anchor] < least[anchor]) least = c;
    if (c[anchor] > most[anchor]) most = c;
    sum += c[anchor] * c.n;
    n += c.n;
  }
  return { least, most, mean: sum / n };
}

function processors(node) {
  const classes = classesOf(node);
  if (classes.length === 0) return null;
  const n = classes.reduce((sum, c) => sum + c.n, 0);
  const known = data.columns.map((anchor) => figures[column[anchor]]);
  const name = (f) => (f.anchor === "iuser" || f.anchor === "isyst" ? "Insufficient parallelism " : "") + f.label;
  const rows = known.map((f) => {
    const { least, mean, most } = extremes(classes, f.anchor);
    return el("tr", null, el("th", { scope: "row" }, name(f)), cell(least[f.anchor], f.unit), el("td", { class: "who" }, least.name),
      cell(mean, f.unit), cell(most[f.anchor], f.unit), el("td", { class: "who" }, most.name));
  });
  const listed = classes.slice(0, 256);
  const section = el("div", { class: "processors" },
    el("h4", null, "Processors"),
    el("p", { class: "note" }, n + (n === 1 ? " processor" : " processors") + " in " + classes.length +
      (classes.length === 1 ? " class of equal values" : " classes of equal values") + ", each drawn as wide as it has processors"),
    strip(classes));
  const picture = el("div", { class: "map" });
  if (data.grid.length === 2 && classes.every((c) => c.boxes.length && c.boxes[0].length === 2)) {
    const draw = () => {
      const f = figures[column[heatAnchor]];
      const drawn = heatMap(data.grid, classes, heatAnchor, name(f));
      const { least, most } = extremes(classes, heatAnchor);
      picture.replaceChildren(drawn || el("p", { class: "note" }, "too many blocks to draw"),
        el("p", { class: "note" }, "from " + timeText(least[heatAnchor]) + " to " + timeText(most[heatAnchor]) +
          ", the darker the more; down the first coordinate, across the second"));
    };
    section.append(el("label", { class: "pick" }, "On the grid: ",
      el("select", { id: "heat", change: (e) => { heatAnchor = e.target.value; draw(); } },
        known.map((f) => el("option", { value: f.anchor, selected: f.anchor === heatAnchor }, name(f))))), picture);
    draw();
  }
  section.append(
    el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Extremes over processors" },
      el("table", { class: "procs" },
        el("thead", null, el("tr", null, ["Characteristic", "Minimum", "who", "Mean", "Maximum", "who"].map((s) => el("th", { scope: "col" }, s)))),
        el("tbody", null, rows))),
    el("details", null, el("summary", null, "Every class"),
      el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Classes of processors" },
        el("table", { class: "procs" },
          el("thead", null, el("tr", null, el("th", { scope: "col" }, "Coordinates"), el("th", { scope: "col" }, "Processors"),
            known.map((f) => el("th", { scope: "col" }, name(f))))),
          el("tbody", null, listed.map((c) => el("tr", null, el("th", { scope: "row" }, c.name), el("td", null, String(c.n)),
            known.map((f) => cell(c[f.anchor], f.unit))))))),
      listed.length < classes.length && el("p", { class: "note" }, (classes.length - listed.length) + " more are not listed")));
  return section;
}

function choose(node) {
  const before = chosen;
  chosen = node;
  reveal(node);
  for (const n of [before, node]) {
    const row = n && document.querySelector(`[data-row="${n.id}"]`);
    if (row) row.classList.toggle("chosen", n === node);
  }
  byId("interval").replaceChildren(el("section", { id: "i" + node.id, class: "interval", "data-interval": node.id },
    el("h3", null, title(node)), navigation(node),
    el("p", { class: "note" }, `Interval ${node.id}, level ${node.level}, entered ${node.count} ${node.count === 1 ? "time" : "times"}, ` +
      `${node.processors} ${node.processors === 1 ? "processor" : "processors"}`),
    bar(split(node)),
    el("div", { class: "cols" }, mainTable(node), el("div", null, kindsTable(node), popTable(node), linesOf(node), processors(node)))));
}
