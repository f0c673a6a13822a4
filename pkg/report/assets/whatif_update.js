// The figures of another setting take the place of those of the page.

// showTop shows what stands above the intervals.
function showTop(top) {
  const put = (place, markup) => { if (place) place.innerHTML = markup; };
  byId("top").querySelector(".on").textContent = "on " + top.grid;
  const tiles = byId("top").querySelectorAll(".tiles li");
  put(tiles[0].querySelector(".v"), top.execHTML);
  tiles[1].querySelector(".v").textContent = top.effic;
  tiles[2].querySelector(".k").textContent = "Lost time of " + top.procs;
  put(tiles[2].querySelector(".v"), top.lostHTML);
  tiles[3].querySelector(".k").textContent = "Total time of " + top.procs;
  put(tiles[3].querySelector(".v"), top.totalHTML);
  byId("top").querySelector(".diagnosis").replaceChildren(...(top.diagnosis || []).map((s) => el("p", null, s)));
  byId("top").querySelector("svg.bar").outerHTML = top.barHTML;
  document.querySelectorAll("#use .legend tbody tr").forEach((row, i) => {
    const cells = row.cells;
    const fresh = document.createElement("template");
    fresh.innerHTML = "<table><tr>" + top.parts[i].cellHTML + "</tr></table>";
    cells[2].replaceWith(fresh.content.querySelector("td"));
    cells[3].textContent = top.parts[i].share;
  });
  showFacts(top);
  showLineTable(top.linesHTML);
  if (byId("timeline")) byId("timeline").hidden = true; // it is that of the first simulation
  if (byId("exchanges")) byId("exchanges").outerHTML = top.exchangesHTML;
  showFindings(top.findings || []);
}

// showFacts shows grid, machine, options and warnings.
function showFacts(top) {
  const list = byId("simulated").querySelector(".facts");
  const fact = (name) => [...list.children].find((e) => e.tagName === "DT" && e.textContent === name);
  const show = (name, ...content) => {
    let dt = fact(name);
    if (!content[0]) {
      if (dt) { dt.nextElementSibling.remove(); dt.remove(); }
      return;
    }
    if (!dt) {
      dt = el("dt", null, name);
      const behind = name === "Options" && fact("Warnings");
      if (behind) behind.before(dt); else list.append(dt);
      dt.after(el("dd"));
    }
    dt.nextElementSibling.replaceChildren(...content);
  };
  const open = list.querySelector("details");
  show("Grid", top.grid + " = " + top.procs);
  show("Machine", top.machine, top.nodes ? el("details", { open: open ? open.open : top.nodes.length <= 6 },
    el("summary", null, "its nodes"), el("ul", null, top.nodes.map((s) => el("li", null, s)))) : "");
  show("Options", top.options);
  show("Warnings", top.warnings);
}

// showFindings shows what could be changed.
function showFindings(findings) {
  let section = byId("findings");
  if (!findings.length) {
    if (section) section.remove();
    return;
  }
  if (!section) {
    section = el("section", { id: "findings" }, el("h2", null, "What could be changed"),
      el("p", { class: "note" }, "Sorted by what it would save at best. Savings do not add up: waiting, for example, is often the consequence of uneven load."),
      el("ol", { class: "findings" }));
    byId("intervals").before(section);
  }
  section.querySelector("ol").replaceChildren(...findings.map((f) => el("li", null,
    el("span", { class: "saving" }, f.saving),
    el("div", null, el("p", null, f.text + " ", el("a", { href: "#i" + f.interval }, f.place)), el("p", { class: "note" }, f.advice)))));
}

// The rows of the table of lines, as they were before anybody sorted them: what
// sorts and filters them goes by these.
const lineRows = lineTable ? [...lineTable.rows] : [];

// showLineTable shows the table of lines, sorted and filtered as it was.
function showLineTable(markup) {
  if (!lineTable || !markup) return;
  const fresh = document.createElement("template");
  fresh.innerHTML = markup;
  [...fresh.content.querySelectorAll("#lines tbody tr")].slice(0, lineRows.length).forEach((row, i) => {
    lineRows[i].id = row.id;
    lineRows[i].className = row.className;
    lineRows[i].replaceChildren(...row.children);
  });
  const sorted = document.querySelector("#lines th[aria-sort]:not([aria-sort=none]) button");
  // The third click leads back to where the first began.
  if (sorted) for (let i = 0; i < 3; i++) sorted.click();
  const filter = document.querySelector("#lines input[type=search]");
  if (filter && filter.value) filter.dispatchEvent(new Event("input"));
}

// takeLines takes the figures of lines in the place of those there are.
function takeLines(list) {
  for (const l of lines.values()) l.values.fill(0);
  for (const node of nodes) if (node.lines) node.lines = [];
  for (const [interval, number, file, from, line, calls, values] of list) {
    const numbers = values.map(Number);
    let l = lines.get(number);
    if (!l) {
      l = { number, file: data.words[file], from, line, calls: new Map(pairs(calls)), values: numbers.map(() => 0) };
      lines.set(number, l);
    }
    numbers.forEach((x, i) => { l.values[i] += x; });
    const node = numbered.get(interval);
    if (node) (node.lines ||= []).push({ number, file: data.words[file], from, line, calls: new Map(pairs(calls)), values: numbers });
  }
  if (chosenLine && lines.has(chosenLine.number)) chooseLine(lines.get(chosenLine.number));
}

// showIntervals shows the intervals. They are those of the same calls, so that
// only their figures differ.
function showIntervals(fresh) {
  data.grid = fresh.grid;
  data.words = fresh.words;
  fresh.intervals.forEach((row, i) => {
    const node = nodes[i];
    node.count = row[head.indexOf("count")];
    node.processors = row[head.indexOf("processors")];
    node.values = row[head.length];
    node.classes = row[head.length + 1] || [];
    node.pop = row[head.length + 2] || null;
  });
  takeLines(fresh.lines);
  const box = document.querySelector("#tree .rows");
  const scrolled = box.scrollTop, rows = tree.shown;
  const open = [...document.querySelectorAll("#interval details")].map((e) => e.open);
  drawTree();
  moreRows(rows - tree.shown);
  box.scrollTop = scrolled;
  choose(chosen);
  document.querySelectorAll("#interval details").forEach((e, i) => { e.open = open[i]; });
}
