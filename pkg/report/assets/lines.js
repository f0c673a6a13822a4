// The lines of the program: each once, by its number, with the figures that add
// up over the intervals it stands in.
const additive = figures.filter((f) => f.inner);
const addend = Object.fromEntries(additive.map((f, i) => [f.anchor, i]));
const lines = new Map();
for (const [interval, number, file, from, line, calls, values] of data.lines) {
  let l = lines.get(number);
  if (!l) {
    l = { number, file: data.words[file], from, line, calls: new Map(), values: values.map(() => 0) };
    lines.set(number, l);
  }
  l.from = Math.min(l.from, from);
  for (let i = 0; i < calls.length; i += 2) l.calls.set(calls[i], (l.calls.get(calls[i]) || 0) + Number(calls[i + 1]));
  values.forEach((x, i) => { l.values[i] += Number(x); });
  const node = numbered.get(interval);
  if (node) (node.lines ||= []).push({ number, file: data.words[file], from, line, calls: new Map(pairs(calls)), values: values.map(Number) });
}

function pairs(list) {
  const out = [];
  for (let i = 0; i < list.length; i += 2) out.push([list[i], Number(list[i + 1])]);
  return out;
}

function ofLine(l, anchor) { return l.values[addend[anchor]]; }
function lostAt(l) { return ofLine(l, "insuf") + ofLine(l, "comm"); }
function spentAt(l) { return ofLine(l, "cpu") + ofLine(l, "sys") + ofLine(l, "ptimei") + ofLine(l, "comm"); }
function stretch(l) { return l.file + ":" + (l.from === l.line ? l.line : l.from + "-" + l.line); }

function splitLine(l) {
  return parts((anchor) => (anchor in addend ? ofLine(l, anchor) : 0), spentAt(l));
}

function callWords(l, most) {
  const list = [...l.calls].map(([f, n]) => data.words[f] + " " + n);
  return (list.length > most + 1 ? [...list.slice(0, most), list.length - most + " more"] : list).join(", ");
}

const maxOwnLines = 50;

// linesOf lists the lines of one interval, those that lose most first.
function linesOf(node) {
  if (!node.lines) return null;
  const sorted = [...node.lines].sort((a, b) => lostAt(b) - lostAt(a));
  const rows = sorted.slice(0, maxOwnLines).map((l) => el("tr", null,
    el("th", { scope: "row", class: "l" }, el("a", { href: "#l" + l.number }, stretch(l))),
    cell(lostAt(l), "s"), cell(spentAt(l), "s"), el("td", { class: "use" }, bar(splitLine(l))), el("td", { class: "l" }, callWords(l, 4))));
  return el("div", { class: "wide own", tabindex: 0, role: "region", "aria-label": "Lines of the interval" },
    el("table", { class: "sheet" }, el("caption", null, "Lines, those of the intervals inside left out"),
      el("thead", null, el("tr", null, [["Lines", "l"], ["Lost time", null], ["Spent", null], ["Use", "l"], ["Functions", "l"]].map(([s, c]) => el("th", { scope: "col", class: c }, s)))),
      el("tbody", null, rows)),
    sorted.length > rows.length && el("p", { class: "note" }, sorted.length - rows.length + " more lines are not listed"));
}

let chosenLine = null;

function lineCell(l, f) {
  return cell(ofLine(l, f.anchor), f.unit, { id: "l" + l.number + "-" + f.anchor, "data-name": f.anchor });
}

// chooseLine shows the figures of a line: beside the source where that is shown.
function chooseLine(l) {
  chosenLine = l;
  for (const e of document.querySelectorAll(".picked")) e.classList.remove("picked");
  for (const e of document.querySelectorAll(`#source [href="#l${l.number}"], #l${l.number}`)) e.classList.add("picked");
  const spent = spentAt(l);
  const main = additive.filter((f) => f.kind === undefined);
  const lost = el("tr", null, el("th", { scope: "row", class: "d1" }, "Lost time"), cell(lostAt(l), "s"), el("td", null, percent(spent === 0 ? 0 : lostAt(l) / spent)));
  const kinds = data.kinds.map((kind, k) => [kind, additive.filter((f) => f.kind === k)])
    .filter(([, list]) => list.some((f) => ofLine(l, f.anchor) !== 0));
  const within = nodes.filter((n) => n.lines && n.lines.some((x) => x.number === l.number));
  byId("line").replaceChildren(el("section", { class: "interval line", "data-line": l.number, tabindex: -1 },
    el("h3", null, stretch(l)),
    el("p", { class: "note" }, callWords(l, 20) || "the end of the program"),
    bar(splitLine(l)),
    el("table", { class: "main" }, el("caption", null, "Figures that add up, over all processors"),
      el("thead", null, el("tr", null, ["Characteristic", "Value", "Of time spent"].map((s) => el("th", { scope: "col" }, s)))),
      el("tbody", null,
        el("tr", null, el("th", { scope: "row", class: "d0" }, "Spent"), cell(spent, "s"), el("td", null, percent(1))),
        main.map((f) => [f.anchor === "insuf" && lost, el("tr", null, el("th", { scope: "row", class: "d" + f.depth }, definition(f)), lineCell(l, f),
          el("td", null, f.part ? percent(spent === 0 ? 0 : ofLine(l, f.anchor) / spent) : ""))]).flat())),
    kinds.map(([kind, list]) => el("table", { class: "main" }, el("caption", null, kind),
      el("tbody", null, list.map((f) => el("tr", null, el("th", { scope: "row" }, definition(f)), lineCell(l, f)))))),
    within.length > 0 && nodes.length > 1 && el("p", { class: "note" }, "In ",
      within.slice(0, 8).map((n, i) => [i > 0 && ", ", el("a", { href: "#i" + n.id }, title(n))]).flat(), within.length > 8 && ", and more")));
}

const lineTable = document.querySelector("#lines tbody");
if (lineTable) lineTable.addEventListener("click", (e) => {
  const row = e.target.closest("tr");
  if (!e.target.closest("a") && !String(getSelection())) location.hash = row.id;
});
if (byId("source") && byId("line")) byId("beside").append(byId("line"));
