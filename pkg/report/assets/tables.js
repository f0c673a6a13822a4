// Tables that sort by a click on a column's head, and long ones that filter.
for (const table of document.querySelectorAll("table.sheet")) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const key = (row, i) => {
    const td = row.cells[i];
    return td.dataset.value === undefined ? td.textContent : Number(td.dataset.value);
  };
  heads.forEach((th, i) => {
    if (rows.some((row) => row.cells[i].querySelector("svg"))) return;
    const numbers = rows.some((row) => row.cells[i].dataset.value !== undefined);
    const button = el("button", { class: "sort", click: () => {
      const was = th.getAttribute("aria-sort");
      const first = numbers ? "descending" : "ascending", second = numbers ? "ascending" : "descending";
      const now = was === first ? second : was === second ? "none" : first;
      heads.forEach((other) => other.setAttribute("aria-sort", "none"));
      th.setAttribute("aria-sort", now);
      const sign = now === "ascending" ? 1 : -1;
      // Cells without a number stay at the end.
      const empty = (x) => numbers && typeof x !== "number";
      const order = now === "none" ? rows : rows.map((row) => [key(row, i), row])
        .sort(([a], [b]) => empty(a) - empty(b) || (a < b ? -sign : a > b ? sign : 0)).map((pair) => pair[1]);
      body.append(...order);
    } }, th.textContent);
    th.replaceChildren(button);
    th.setAttribute("aria-sort", "none");
  });
  if (rows.length > 10) {
    const found = el("span", { class: "note", "aria-live": "polite" });
    const filter = (words) => {
      let n = 0;
      for (const row of rows) {
        row.hidden = !row.textContent.toLowerCase().includes(words);
        if (!row.hidden) n++;
      }
      found.textContent = n + " of " + rows.length + " rows";
    };
    table.closest("section").querySelector(".wide").before(el("form", { class: "controls", submit: (e) => e.preventDefault() },
      el("label", null, "Filter ", el("input", { type: "search", autocomplete: "off", input: (e) => filter(e.target.value.trim().toLowerCase()) })), found));
    filter("");
  }
}
