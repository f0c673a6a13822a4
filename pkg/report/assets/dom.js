// el makes an element with attributes (functions are listeners) and children
// (elements or text, which stays text).
function el(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

// svg makes an element of a picture.
function svg(name, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

function byId(id) { return document.getElementById(id); }

// gapBehind is the class of the unit behind a time in a column: it keeps the
// room that the number lacks of three digits behind its point.
function gapBehind(number, unit) {
  if (unit !== "s") return null;
  const point = number.indexOf(".");
  if (point < 0) return "gap4";
  const missing = 3 - (number.length - point - 1);
  return missing > 0 ? "gap" + missing : null;
}

// value makes a number with its unit; pointing at it shows the exact value.
function value(x, unit) {
  const [number, shown] = display(x, unit);
  return [number + "\u00a0", el("i", { class: gapBehind(number, unit) }, shown)];
}

// cell makes a table cell with a number, exact in its tooltip.
function cell(x, unit, attributes) {
  const title = x === 0 ? null : x + (unit === "s" ? " s" : "");
  return el("td", { "data-value": x, title, ...attributes }, value(x, unit));
}
