// The data of the page: the figures there are, and the intervals with their
// values in the order of the figures.
const data = JSON.parse(byId("data").textContent);
const figures = data.figures;
const column = Object.fromEntries(figures.map((f, i) => [f.anchor, i]));
const head = ["id", "up", "level", "type", "file", "line", "expr", "count", "processors"];

const nodes = data.intervals.map((row) => {
  const node = Object.fromEntries(head.map((name, i) => [name, row[i]]));
  node.values = row[head.length];
  node.classes = row[head.length + 1] || [];
  node.pop = row[head.length + 2] || null;
  node.type = data.words[node.type];
  node.file = data.words[node.file];
  node.inner = [];
  return node;
});
const numbered = new Map(nodes.map((node) => [node.id, node]));
for (const node of nodes) {
  node.up = numbered.get(node.up) || null;
  if (!node.up) continue;
  const siblings = node.up.inner;
  node.pred = siblings[siblings.length - 1] || null;
  if (node.pred) node.pred.next = node;
  siblings.push(node);
}
const root = nodes[0];

function figure(node, anchor) { return node.values[column[anchor]]; }

function place(node) { return node.line > 0 ? node.file + ":" + node.line : node.file; }

function title(node) {
  return node.type + " " + place(node) + (node.expr === null ? "" : " expression " + node.expr);
}

// parts returns the parts of Total time with their shares; get returns a figure
// by its anchor.
function parts(get, total) {
  return data.parts.map((part) => {
    const less = part.less ? get(part.less) : 0;
    const seconds = Math.max(0, get(part.figure) - less);
    return { ...part, seconds, share: total === 0 ? 0 : seconds / total };
  });
}

// split returns the parts of Total time of an interval.
function split(node) {
  return parts((anchor) => figure(node, anchor), figure(node, "total"));
}
