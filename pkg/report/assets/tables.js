// Tables that sort by a click on a column's head, and long ones that filter. What
// puts other rows into one calls replaceRows, and it stays sorted and filtered.
const sheets = new Map();

function makeSheet(table) {
  const body = table.tBodies[0];
  let rows = [...body.rows]; // as they were before anybody sorted them
  const heads = [...table.tHead.rows[0].cells];
  let sorted = -1, words = "", found = null;
  const numbersIn = (i) => rows.some((row) => row.cells[i].dataset.value !== undefined);
  const key = (row, i) => {
    const td = row.cells[i];
    return td.dataset.value === undefined ? td.textContent : Number(td.dataset.value);
  };
  const sort = () => {
    const now = sorted < 0 ? "none" : heads[sorted].getAttribute("aria-sort");
    if (now === "none") return body.append(...rows);
    const sign = now === "ascending" ? 1 : -1, numbers = numbersIn(sorted);
    // Cells without a number stay at the end.
    const empty = (x) => numbers && typeof x !== "number";
    body.append(...rows.map((row) => [key(row, sorted), row])
      .sort(([a], [b]) => empty(a) - empty(b) || (a < b ? -sign : a > b ? sign : 0)).map((pair) => pair[1]));
  };
  heads.forEach((th, i) => {
    if (rows.some((row) => row.cells[i].querySelector("svg"))) return;
    const button = el("button", { class: "sort", click: () => {
      const was = th.getAttribute("aria-sort");
      const numbers = numbersIn(i);
      const first = numbers ? "descending" : "ascending", second = numbers ? "ascending" : "descending";
      heads.forEach((other) => other.setAttribute("aria-sort", "none"));
      th.setAttribute("aria-sort", was === first ? second : was === second ? "none" : first);
      sorted = i;
      sort();
    } }, th.textContent);
    th.replaceChildren(button);
    th.setAttribute("aria-sort", "none");
  });
  const filter = () => {
    let n = 0;
    for (const row of rows) {
      row.hidden = !row.textContent.toLowerCase().includes(words);
      if (!row.hidden) n++;
    }
    if (found) found.textContent = n + " of " + rows.length + " rows";
  };
  const filterable = () => {
    if (found || rows.length <= 10) return;
    found = el("span", { class: "note", "aria-live": "polite" });
    table.closest("section").querySelector(".wide").before(el("form", { class: "controls", submit: (e) => e.preventDefault() },
      el("label", null, "Filter ", el("input", { type: "search", autocomplete: "off", input: (e) => {
        words = e.target.value.trim().toLowerCase();
        filter();
      } })), found));
    filter();
  };
  filterable();
  sheets.set(table, (fresh) => {
    rows = fresh;
    body.replaceChildren();
    sort();
    filterable();
    filter();
  });
}

// replaceRows puts other rows into a table.
function replaceRows(table, rows) { sheets.get(table)(rows); }

document.querySelectorAll("table.sheet").forEach(makeSheet);
