// Two settings side by side: one that was kept, and the one that is shown.
let keptSetting = null;

function keep() {
  keptSetting = {
    setting: copy(whatif.shown), command: whatif.command, time: whatif.time, efficiency: whatif.efficiency,
    nodes: nodes.map((n) => ({ values: n.values })),
  };
  drawPair();
}

function drop() {
  keptSetting = null;
  drawPair();
}

// shareChange writes the change of a share: 50 % and then 60 % is 10 points more.
function shareChange(share) {
  const n = fixed(Math.abs(share) * 100, 1);
  return Number(n) === 0 ? "" : (share < 0 ? "−" : "+") + n + " points";
}

const maxPairs = 40; // intervals in the comparison

function drawPair() {
  const place = byId("pair");
  place.hidden = !keptSetting;
  if (!keptSetting) return place.replaceChildren();
  const was = keptSetting, now = { setting: whatif.shown, nodes };
  const words = (s) => changes(s).join("; ") || "as predicted";
  const value0 = (side, i, anchor) => side.nodes[i].values[column[anchor]];
  const row = (label, a, b, unit) => el("tr", null, el("th", { scope: "row" }, label), cell(a, unit), cell(b, unit), el("td", null, unit === "ratio" ? shareChange(b - a) : difference(b, a)));
  const anchors = ["exec", "effic", "total", "prod", "lost"].filter((a) => column[a] !== undefined);
  const main = anchors.map((a) => row(figures[column[a]].label, value0(was, 0, a), value0(now, 0, a), figures[column[a]].unit));
  const parts = (side) => split(side.nodes[0]);
  const before = parts(was), after = parts(now);
  const uses = before.map((p, i) => row(p.label, p.seconds, after[i].seconds, "s"));
  const order = nodes.map((n, i) => i).slice(1)
    .sort((i, j) => Math.abs(value0(now, j, "exec") - value0(was, j, "exec")) - Math.abs(value0(now, i, "exec") - value0(was, i, "exec"))).slice(0, maxPairs);
  const inner = order.map((i) => {
    const r = row("", value0(was, i, "exec"), value0(now, i, "exec"), "s");
    r.firstChild.append(el("a", { href: "#i" + nodes[i].id }, title(nodes[i])));
    return r;
  });
  const heading = () => el("thead", null, el("tr", null, ["", "Kept", "Shown", "Change"].map((s) => el("th", { scope: "col" }, s))));
  place.replaceChildren(
    el("h3", null, "Side by side"),
    el("dl", { class: "facts" }, el("dt", null, "Kept"), el("dd", null, words(was.setting)), el("dt", null, "Shown"), el("dd", null, words(now.setting))),
    el("div", { class: "two" }, el("div", null, el("p", { class: "note" }, "Kept: ", timeText(value0(was, 0, "exec"))), bar(before)),
      el("div", null, el("p", { class: "note" }, "Shown: ", timeText(value0(now, 0, "exec"))), bar(after))),
    el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Two settings" },
      el("table", { class: "sheet" }, heading(), el("tbody", null, main, uses)),
      inner.length ? el("table", { class: "sheet" }, el("caption", null, "Execution time of the intervals that differ most"), heading(), el("tbody", null, inner)) : ""),
    el("p", null, el("button", { type: "button", click: () => { release(); change(null, (s) => become(s, was.setting)); } }, "Return to the kept setting"), " ",
      el("button", { type: "button", click: () => { drop(); byId("keep").focus(); } }, "Close")));
}
