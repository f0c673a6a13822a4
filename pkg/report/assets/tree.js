// The tree of intervals as a table: collapsible, sortable, with a filter.
const tree = {
  open: new Set(),
  sort: { key: null, down: true },
  filter: "",
  flat: false,
  shown: 0,
  rows: [],
};
const chunk = 150; // rows that are made at once

const columns = [
  { key: "exec", label: "Execution time", unit: "s" },
  { key: "effic", label: "Efficiency", unit: "ratio" },
  { key: "lost", label: "Lost time", unit: "s" },
  { key: "own", label: "Lost here", unit: "s", note: "Lost time without that of the intervals inside" },
  { key: "use", label: "Total time by use" },
  { key: "count", label: "Count", unit: "" },
  { key: "processors", label: "Processors", unit: "" },
];

function lostHere(node) {
  return Math.max(0, node.inner.reduce((rest, n) => rest - figure(n, "lost"), figure(node, "lost")));
}

function sortValue(node, key) {
  if (key === "own") return lostHere(node);
  if (key === "count" || key === "processors") return node[key];
  if (key === "place") return title(node);
  return figure(node, key);
}

function ordered(list) {
  const { key, down } = tree.sort;
  if (key === null) return list;
  const sign = down ? -1 : 1;
  return list.map((node) => [sortValue(node, key), node])
    .sort((a, b) => (a[0] < b[0] ? -sign : a[0] > b[0] ? sign : 0))
    .map((pair) => pair[1]);
}

// visible lists the nodes that the table shows, in its order.
function visible() {
  const words = tree.filter.toLowerCase();
  const matches = (node) => !words || title(node).toLowerCase().includes(words);
  if (tree.flat) return ordered(nodes.filter(matches));
  let keep = null;
  if (words) {
    keep = new Set();
    for (const node of nodes) {
      for (let n = matches(node) ? node : null; n && !keep.has(n); n = n.up) keep.add(n);
    }
  }
  const list = [];
  const stack = [root];
  while (stack.length) {
    const node = stack.pop();
    if (keep && !keep.has(node)) continue;
    list.push(node);
    if (keep || tree.open.has(node)) stack.push(...[...ordered(node.inner)].reverse());
  }
  return list;
}

// openTo opens the tree down to a level.
function openTo(level) {
  tree.open = new Set(nodes.filter((n) => n.level < level && n.inner.length));
}

function heat(node) {
  const share = figure(root, "lost") > 0 ? lostHere(node) / figure(root, "lost") : 0;
  return share >= 0.25 ? "hot3" : share >= 0.1 ? "hot2" : share >= 0.03 ? "hot1" : "";
}

function treeRow(node) {
  const isOpen = tree.open.has(node) || tree.filter !== "";
  const toggle = node.inner.length && !tree.flat
    ? el("button", { class: "toggle", "data-toggle": node.id, "aria-expanded": String(isOpen),
      "aria-label": (isOpen ? "Close " : "Open ") + title(node) }, isOpen ? "▾" : "▸")
    : el("span", { class: "toggle" });
  const row = el("tr", { "data-row": node.id, class: heat(node) + (node === chosen ? " chosen" : "") },
    el("th", { scope: "row", class: "d" + (tree.flat ? 0 : Math.min(node.level, 12)) }, toggle,
      el("a", { href: "#i" + node.id }, node.type), " ", el("span", { class: "place" }, place(node),
        node.expr === null ? "" : " expression " + node.expr)));
  for (const c of columns) {
    if (c.key === "use") row.append(el("td", { class: "use" }, bar(split(node))));
    else if (c.unit) row.append(cell(sortValue(node, c.key), c.unit));
    else row.append(el("td", null, String(node[c.key])));
  }
  return row;
}

// drawTree makes the table anew, the first rows of it.
function drawTree() {
  tree.rows = visible();
  tree.shown = 0;
  byId("rows").replaceChildren();
  moreRows(chunk);
  for (const th of document.querySelectorAll("#tree thead th")) {
    const key = th.dataset.key;
    th.setAttribute("aria-sort", tree.sort.key !== key ? "none" : tree.sort.down ? "descending" : "ascending");
  }
}

function moreRows(count) {
  const end = Math.min(tree.rows.length, tree.shown + count);
  byId("rows").append(...tree.rows.slice(tree.shown, end).map(treeRow));
  tree.shown = end;
  const left = tree.rows.length - end;
  byId("more").hidden = left === 0;
  byId("more").textContent = "Show more (" + left + " left)";
  byId("found").textContent = tree.rows.length + (tree.rows.length === 1 ? " interval" : " intervals") + " shown of " + nodes.length;
}

function sortBy(key) {
  if (tree.sort.key !== key) tree.sort = { key, down: key !== "place" };
  else if (tree.sort.down === (key !== "place")) tree.sort.down = !tree.sort.down;
  else tree.sort = { key: null, down: true };
  drawTree();
}

function toggle(node) {
  if (!tree.open.delete(node)) tree.open.add(node);
  drawTree();
  const button = document.querySelector(`[data-toggle="${node.id}"]`);
  if (button) button.focus();
}

// reveal opens what is around a node, so that its row exists.
function reveal(node) {
  let changed = false;
  for (let n = node.up; n; n = n.up) {
    if (!tree.open.has(n)) { tree.open.add(n); changed = true; }
  }
  if (changed) drawTree();
  const at = tree.rows.indexOf(node);
  if (at >= tree.shown) moreRows(at + 1 - tree.shown);
}

function buildTree() {
  const deepest = nodes.reduce((most, n) => Math.max(most, n.level), 0);
  let level = deepest;
  while (level > 1 && nodes.filter((n) => n.level <= level).length > 300) level--;
  openTo(level);

  const headCell = (key, label, note) => el("th", { scope: "col", "data-key": key, title: note },
    key === "use" ? label : el("button", { class: "sort", click: () => sortBy(key) }, label));
  const levels = el("select", { id: "level", change: (e) => { openTo(Number(e.target.value)); drawTree(); } });
  for (let i = 0; i <= Math.min(deepest, 20); i++) {
    levels.append(el("option", { value: i, selected: i === level }, i === deepest ? "all levels" : i === 0 ? "the program" : "to level " + i));
  }
  byId("tree").append(
    el("form", { class: "controls", submit: (e) => e.preventDefault() },
      el("label", null, "Filter ", el("input", { id: "filter", type: "search", placeholder: "file, line, type", autocomplete: "off",
        input: (e) => { tree.filter = e.target.value.trim(); drawTree(); } })),
      el("label", null, "Open ", levels),
      el("label", null, el("input", { id: "flat", type: "checkbox", change: (e) => { tree.flat = e.target.checked; drawTree(); } }), " as a list"),
      el("span", { id: "found", class: "note", "aria-live": "polite" })),
    el("div", { class: "wide rows", tabindex: 0, role: "region", "aria-label": "Intervals" },
      el("table", { class: "list" },
        el("thead", null, el("tr", null, headCell("place", "Interval"), columns.map((c) => headCell(c.key, c.label, c.note)))),
        el("tbody", { id: "rows" }))),
    el("button", { id: "more", hidden: true, click: () => moreRows(chunk) }));
  byId("rows").addEventListener("click", (e) => {
    const button = e.target.closest("[data-toggle]");
    if (button) { toggle(numbered.get(Number(button.dataset.toggle))); return; }
    const row = e.target.closest("tr");
    if (row && !e.target.closest("a") && !String(getSelection())) location.hash = "i" + row.dataset.row;
  });
  document.querySelector("#tree .rows").addEventListener("scroll", (e) => {
    const box = e.target;
    if (box.scrollTop + box.clientHeight > box.scrollHeight - 200 && tree.shown < tree.rows.length) moreRows(chunk);
  });
  drawTree();
}
