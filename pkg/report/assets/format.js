// Numbers for people: the same digits as the Go side prints.

// fixed is toFixed that rounds ties to even, as Go does.
function fixed(x, decimals) {
  const rounded = x.toFixed(decimals);
  const exact = x.toFixed(Math.min(100, decimals + 60));
  const end = exact.indexOf(".") + 1 + decimals;
  const odd = "13579".includes(rounded[rounded.length - 1]);
  if (!odd || !/^50*$/.test(exact.slice(end))) return rounded;
  return exact.slice(0, decimals === 0 ? end - 1 : end);
}

const timeUnits = [["s", 1], ["ms", 1e3], ["us", 1e6], ["ns", 1e9]];

// exponential is toExponential with at least two digits in the exponent.
function exponential(x, decimals) {
  return x.toExponential(decimals).replace(/e([+-])(\d)$/, "e$10$2");
}

// time returns a time as [number, unit], with four significant digits.
function time(seconds) {
  const size = Math.abs(seconds);
  if (size === 0) return ["0", "s"];
  if (!(size >= 1e-12 && size < 1e7)) return [exponential(seconds, 3), "s"];
  for (const [unit, scale] of timeUnits) {
    const x = seconds * scale;
    const exponent = Number(x.toExponential(3).split("e")[1]);
    if (exponent >= 0 || unit === "ns") return [fixed(x, Math.max(0, 3 - exponent)), unit];
  }
}

function percent(share) {
  if (share > 0 && share < 0.0005) return "<0.1\u00a0%";
  if (share < 0 && share > -0.0005) return ">-0.1\u00a0%";
  return fixed(share * 100, 1) + "\u00a0%";
}

// display returns the value of a figure as [number, unit].
function display(x, unit) {
  if (unit === "s") return time(x);
  if (unit === "ratio") return percent(x).split("\u00a0");
  return [String(x), unit];
}

function timeText(seconds) { return time(seconds).join("\u00a0"); }
