// What the address names is shown: an interval (#i12) or a figure of one
// (#i12-effic).
function follow() {
  const m = /^#i(\d+)(?:-\w+)?$/.exec(location.hash);
  const node = m && numbered.get(Number(m[1]));
  if (!node) return;
  if (node !== chosen) choose(node);
  const target = byId(location.hash.slice(1));
  for (const e of document.querySelectorAll(".target")) e.classList.remove("target");
  if (!target) return;
  target.classList.add("target");
  target.scrollIntoView({ block: target.tagName === "SECTION" ? "start" : "center" });
}

// On paper nothing can be scrolled.
addEventListener("beforeprint", () => moreRows(2000));

buildTree();
choose(root);
addEventListener("hashchange", follow);
follow();
