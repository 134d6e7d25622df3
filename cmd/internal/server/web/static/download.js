// The answers as files.
import { list } from "./answers.js";
import { taken } from "./asking.js";
import { $, h } from "./dom.js";
import { count } from "./numbers.js";
import { filtered } from "./values.js";

// most is how many answers a file holds, as the page says.
const most = 10_000;

// cell quotes a value. Spreadsheets run texts that begin as a formula does: these get an apostrophe
// before them, which keeps a text a text.
export function cell(value) {
  const text = typeof value === "string" && /^[=+\-@\t\r\n＝＋－＠]/.test(value) && isNaN(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// csv has the columns of efoc ask --format tsv, as RFC 4180 has it.
function csv(result, show) {
  return (result.rows ? rowsOf(result) : answersOf(result, show)).map((row) => row.map(cell).join(",") + "\r\n").join("");
}

function rowsOf(result) {
  const header = ["rank", ...result.variables.flatMap((v) => [v, `${v}_label`]), "confidence", "score", "status", ...filtered(result).map((c) => c.name)];
  return [header, ...result.rows.map((x, i) => [i + 1, ...x.values.flatMap((v) => [v.name, v.label]), x.confidence ?? "", x.score, x.status, ...filtered(result).map((c) => c.of(x).join(", "))])];
}

function answersOf(result, show) {
  const header = ["rank", "name", "label", "confidence", "score", "status", "range", ...filtered(result).map((c) => c.name), ...show.flatMap((v) => [v, `${v}_label`])];
  const rows = result.answers.map((a, i) => {
    const values = show.flatMap((name) => {
      const value = (a.values ?? []).find((v) => v.variable === name);
      return [value?.name ?? "", value?.label ?? ""];
    });
    return [i + 1, a.name, a.label, a.confidence ?? "", a.score, a.status, a.out_of_range ? "out" : "in", ...filtered(result).map((c) => c.of(a).join(", ")), ...values];
  });
  return [header, ...rows];
}

const kinds = {
  csv: { media: "text/csv", write: csv },
  json: { media: "application/json", write: (result) => JSON.stringify(result, null, 2) },
};

let busy = false;

// download fetches the answers that are wanted and hands them to the browser as a file, of which the
// page says how many it has.
export async function download(kind) {
  const say = (text) => ($("download-state").textContent = text), all = $("extent").value === "all";
  if (busy) return;
  busy = true;
  try {
    const found = await taken(all ? most : 0, (n) => say(`Fetching: ${count(n, "answer")} so far…`));
    if (!found) return;
    const name = `answers.${kind}`;
    hand(name, kinds[kind].media, kinds[kind].write(found.result, found.show));
    say(`${name} has ${extent(found.result, all)}`);
  } catch (problem) {
    say(`Nothing was downloaded: ${problem.message}`);
  } finally {
    busy = false;
  }
}

// extent says which answers a file has.
function extent(result, all) {
  const n = count(list(result).length, "answer");
  if (result.incomplete) return `${n}: the search for more was given up, for it took too much work.`;
  if (!all) return `the ${n} shown.`;
  return result.next ? `the first ${n}. There are more: choose statuses or a confidence in the settings to have fewer.` : `all ${n}.`;
}

// hand gives the browser a text as a file.
function hand(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
