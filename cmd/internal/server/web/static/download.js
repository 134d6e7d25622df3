// The answers as files.
import { h } from "./dom.js";

const cell = (value) => (/[",\r\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value));

// csv has the columns of efoc ask --format tsv, as RFC 4180 has it.
export function csv(result, show) {
  const header = ["rank", "name", "label", "confidence", "score", "status", "range", ...show.flatMap((v) => [v, `${v}_label`])];
  const rows = result.answers.map((a, i) => {
    const values = show.flatMap((name) => {
      const value = (a.values ?? []).find((v) => v.variable === name);
      return [value?.name ?? "", value?.label ?? ""];
    });
    return [i + 1, a.name, a.label, a.confidence ?? "", a.score, a.status, a.out_of_range ? "out" : "in", ...values];
  });
  return [header, ...rows].map((row) => row.map(cell).join(",") + "\r\n").join("");
}

// download hands a text to the browser as a file.
export function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
