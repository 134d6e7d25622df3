// The numbers and dates of answers: those that come with them, and others, which are asked for entity by entity.
import * as api from "./api.js";

const together = 6, most = 200; // requests, entities
const fetched = new Map(); // the values of an entity by its name

// forget forgets what was fetched, after facts have changed.
export const forget = () => fetched.clear();

// filtered are the columns of the values by which a question filters its answers or rows: their names, and the values of one.
export function filtered({ rows, answers, variables }) {
  const ends = rows ? variables.map((v, i) => [`${v}_`, (x) => x.values[i]]) : [["", (x) => x]];
  const [first] = rows ?? answers;
  return first ? ends.flatMap(([prefix, end]) => Object.keys(end(first).attributes ?? {}).map((name) => ({ name: prefix + name, attribute: name, of: (x) => end(x).attributes[name] }))) : [];
}

// fetchValues returns for each of the first answers a function from the name of an attribute to its first value, a number or the text of a date.
export async function fetchValues(answers) {
  const first = answers.slice(0, most), unknown = first.filter((a) => !fetched.has(a.name));
  for (let i = 0; i < unknown.length; i += together) {
    const some = unknown.slice(i, i + together);
    const found = await Promise.all(some.map((a) => api.entity(a.name, { k: 1 })));
    some.forEach((a, j) => fetched.set(a.name, found[j].values ?? []));
  }
  return first.map((answer) => ({
    answer,
    value: (attribute) => {
      const v = fetched.get(answer.name).find((x) => x.attribute === attribute);
      return v && (v.kind === "number" ? Number(v.value) : v.value);
    },
  }));
}
