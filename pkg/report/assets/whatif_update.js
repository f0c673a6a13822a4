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
  showTable("lines", top.linesHTML);
  showTable("exchanges", top.exchangesHTML);
  showTimeline();
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
  show("Grid", (top.grid.includes(" ") ? top.grid + " = " : "") + top.procs);
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
    el("div", null, el("p", null, f.before, el("a", { href: "#" + f.anchor }, f.named), f.after), el("p", { class: "note" }, f.advice)))));
}

// keepScrolled does something that puts other content into boxes, and leaves them
// scrolled to where they were. All is read before and written behind, as each look
// at a page that has changed lays it out anew.
function keepScrolled(act) {
  const boxes = () => [...document.querySelectorAll("#lines .wide, #exchanges .wide, #tree .rows, #interval .wide")];
  const name = (e) => (e.closest("section[id], #tree") || e).id + e.ariaLabel;
  const was = new Map(boxes().map((e) => [name(e), [e.scrollLeft, e.scrollTop]]).filter(([, at]) => at[0] || at[1]));
  act();
  for (const e of was.size ? boxes() : []) if (was.has(name(e))) e.scrollTo(...was.get(name(e)));
}

// showTable shows another table in the place of the one of that name: sorted and
// filtered as it was. A table without rows is not shown.
function showTable(name, markup) {
  const fresh = document.createElement("template");
  fresh.innerHTML = markup;
  const theirs = fresh.content.querySelector("table.sheet");
  let section = byId(name);
  if (!section) {
    if (!theirs || !theirs.tBodies[0].rows.length || name === "lines") return;
    section = fresh.content.querySelector("section");
    byId("intervals").before(section);
    makeSheet(section.querySelector("table.sheet"));
    return;
  }
  const rows = theirs ? [...theirs.tBodies[0].rows] : [];
  section.hidden = !rows.length;
  replaceRows(section.querySelector("table.sheet"), rows);
  // How many of all rows are shown is said above the table.
  const note = (e) => [...e.querySelectorAll("p.note")].find((p) => p.querySelector("code"));
  const was = note(section), is = theirs && note(fresh.content);
  if (was && is) was.replaceWith(is);
  else if (was) was.remove();
  else if (is) (section.querySelector("form") || section.querySelector(".wide")).before(is);
}

// showTimeline shows the timeline of the prediction, or where that of another
// setting comes from: its spans may be many times the rest of the page.
function showTimeline() {
  const section = byId("timeline");
  if (!section) return;
  const is = same(whatif.shown, base.setting);
  for (const e of section.children) if (e.tagName !== "H2" && e.id !== "elsewhere") e.hidden = !is;
  let words = byId("elsewhere");
  if (!words) section.append(words = el("p", { id: "elsewhere" }));
  words.hidden = is;
  words.textContent = "The timeline of the prediction was made with the page, that of another setting was not. The command of the panel writes it with --timeline, and dvmreport shows it.";
  if (is && gantt) gantt.draw();
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
  const rows = tree.shown;
  const open = [...document.querySelectorAll("#interval details")].map((e) => e.open);
  drawTree();
  moreRows(Math.max(0, rows - tree.shown));
  choose(chosen);
  document.querySelectorAll("#interval details").forEach((e, i) => { e.open = open[i]; });
}
