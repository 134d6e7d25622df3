// What stands above the answers: how many the question has, and a field that narrows the list.
import * as api from "./api.js";
import { list } from "./answers.js";
import { $, h } from "./dom.js";
import { count } from "./numbers.js";

// start makes the field narrow the list.
export const start = () => $("narrow").addEventListener("input", narrow);

// narrow leaves in the table the answers with what the field says in a name.
export function narrow() {
  const text = $("narrow").value.trim().toLowerCase();
  let left = 0, out = false;
  for (const row of $("answers").querySelectorAll("tbody tr")) {
    if (row.firstElementChild.className === "rank") { // otherwise it says why the row above is an answer
      out = ![...row.querySelectorAll("bdi")].some((name) => name.textContent.toLowerCase().includes(text));
      if (!out) left++;
    }
    row.classList.toggle("narrowed", out);
  }
  $("narrowed").textContent = text ? `${left} of those shown` : "";
}

// total says how many answers a question has, or offers to count them, which takes longer than a page of answers.
export function total(result, q, want, signal) {
  $("total").replaceChildren();
  if (!list(result)) return;
  if (result.rows) {
    if (!result.next) $("total").textContent = `${count(list(result).length, "answer")} in all`;
    return;
  }
  $("total").append(h("button", { type: "button", class: "do", onclick: () => counted({ ...q, formula: `count ${result.variable}: ${q.formula}` }, want, signal) }, "Count all answers"));
}

// known says a count: how many answers are known, and how many others are expected.
export const known = (c) => `${count(c.known, "answer")} known${c.uncalibrated ? "" : `, ${c.missing < 100 ? c.missing.toFixed(1) : Math.round(c.missing)} others expected`}`;

// counted answers a question for a number of answers, as far as that can be counted.
async function counted(q, want, signal) {
  $("total").textContent = "Counting…";
  try {
    const { count: c } = await api.ask({ ...q, ...(want.type && { type: want.type }) }, signal);
    if (!signal.aborted) $("total").textContent = known(c);
  } catch (problem) {
    if (!signal.aborted) $("total").textContent = problem.message;
  }
}
