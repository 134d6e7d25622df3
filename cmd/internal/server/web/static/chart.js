// The answers by a number, as bars, or by a date, on a line of time.
import { entity, h, scrolling } from "./dom.js";
import { fetchValues } from "./values.js";

// moment is a date as a number of years.
function moment(date) {
  const [, year, month = 1, day = 1] = date.match(/^(-?\d+)(?:-(\d\d))?(?:-(\d\d))?/);
  return Number(year) + (month - 1) / 12 + (day - 1) / 366;
}

// track is a line on which a part is filled, or a point stands at its end.
function track(part, is) {
  const mark = h("b");
  mark.style[is === "point" ? "marginInlineStart" : "width"] = `${100 * part}%`;
  return h("i", { class: `track ${is}`, "aria-hidden": "true" }, mark);
}

// chart shows answers by an attribute of the model; pick is called with the name of another one.
export async function chart(answers, attribute, attributes, pick) {
  const dated = attribute.kind === "date", size = dated ? moment : Math.abs;
  const all = (await fetchValues(answers)).map(({ answer, value }) => ({ answer, value: value(attribute.name) }));
  const known = all.filter((x) => x.value !== undefined);
  known.sort((a, b) => (dated ? size(a.value) - size(b.value) : b.value - a.value));
  const sizes = known.map((x) => size(x.value)), least = dated ? Math.min(...sizes) : 0, span = Math.max(...sizes) - least || 1;

  const shown = ({ answer, value }) => h("tr", { class: answer.status }, h("th", { scope: "row" }, entity(answer)),
    h("td", { class: "bars" }, track((size(value) - least) / span, dated ? "point" : value < 0 ? "negative" : "bar")),
    h("td", { class: "number" }, dated ? value : value.toLocaleString("en", { maximumFractionDigits: 6 })));
  const choice = h("select", { onchange: (event) => pick(event.target.value) }, attributes.map((a) => h("option", { selected: a.name === attribute.name }, a.name)));
  const heading = (text) => h("th", { scope: "col" }, text);
  const line = dated && known.length > 0 ? `${known[0].value} to ${known.at(-1).value}` : h("span", { class: "hidden" }, "size");
  return [
    h("div", { class: "row" }, h("label", { class: "inline" }, "By ", choice)),
    known.length > 0 && scrolling(`Chart of ${attribute.name}`, h("table", { class: "chart" },
      h("thead", {}, h("tr", {}, heading(h("span", { class: "hidden" }, "name")), heading(line), heading(h("bdi", {}, attribute.name)))), h("tbody", {}, known.map(shown)))),
    missing(all, known, attribute.name, answers.length),
  ].filter(Boolean);
}

// missing says which answers a view leaves out.
export function missing(all, known, what, n) {
  const without = all.filter((x) => !known.includes(x)).map((x) => x.answer.label);
  const said = [without.length > 0 && `Without ${what}: ${without.join(", ")}.`, n > all.length && `These are the first ${all.length} of ${n} answers.`].filter(Boolean);
  return said.length > 0 && h("p", { class: "quiet small" }, said.join(" "));
}
