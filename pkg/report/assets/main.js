// What the address names is shown: an interval (#i12) or a figure of one
// (#i12-effic), a line of the program (#l3) or a figure of one.
function follow() {
  const n = /^#l(\d+)(?:-\w+)?$/.exec(location.hash);
  if (n && lines.has(Number(n[1]))) {
    const l = lines.get(Number(n[1]));
    if (l !== chosenLine) chooseLine(l);
    const at = location.hash.includes("-") && byId(location.hash.slice(1));
    mark(at);
    // In the source the figures stand beside their line already.
    const beside = document.querySelector("#source .picked");
    if (beside) beside.scrollIntoView({ block: "nearest" });
    (at || document.querySelector("#line > section")).scrollIntoView({ block: "nearest" });
    return;
  }
  const m = /^#i(\d+)(?:-\w+)?$/.exec(location.hash);
  const node = m && numbered.get(Number(m[1]));
  if (!node) return;
  if (node !== chosen) choose(node);
  const target = byId(location.hash.slice(1));
  mark(target);
  if (!target) return;
  target.scrollIntoView({ block: target.tagName === "SECTION" ? "start" : "center" });
}

function mark(target) {
  for (const e of document.querySelectorAll(".target")) e.classList.remove("target");
  if (target) target.classList.add("target");
}

// On paper nothing can be scrolled.
addEventListener("beforeprint", () => moreRows(2000));

buildTree();
choose(root);
addEventListener("hashchange", follow);
follow();
