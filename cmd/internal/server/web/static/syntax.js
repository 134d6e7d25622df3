// What the page knows about the language: enough to find the name being typed. Only
// the server decides what is correct.

const word = /[\p{L}_][\p{L}\p{N}_]*/uy;
const quotes = "\"'`";

// words are those outside of quotes.
const words = (text) => new Set(text.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/g, " ").match(/[\p{L}_][\p{L}\p{N}_]*/gu));

// context says which name ends at the caret: its kind, its text so far and the part
// of the text that a completed name takes the place of. sure says that only a name
// is possible there. It is null where no name is possible, or none was begun and
// asked is false.
export function context(text, caret, asked) {
  const inside = []; // true for the arguments of an atom, false for a group
  let previous = "", binding = false;
  for (let i = 0; i < caret; ) {
    const c = text[i];
    const begin = i;
    const sort = (end, name, quoted) => {
      if (binding || previous === ")" || (!quoted && name.length < 2 && !asked)) return null;
      const entity = inside.at(-1) === true || previous === "unequal";
      if (entity && !quoted && !asked && words(text.slice(0, begin) + text.slice(end)).has(text.slice(begin, end))) return null; // a variable
      return { kind: entity ? "entity" : "relation", text: name, from: begin, to: end, sure: quoted || !entity };
    };
    if (quotes.includes(c)) {
      let end = i + 1;
      while (end < text.length && text[end] !== c && text[end] !== "\n") end += text[end] === "\\" && c !== "`" ? 2 : 1;
      const closed = text[end] === c;
      if (caret <= end || !closed) {
        // A quote further on that closes this one may belong to the next name.
        const rest = text.slice(i + 1, end);
        const whole = closed && !/[(),&|]/.test(rest);
        return sort(whole ? end + 1 : caret, text.slice(i + 1, caret), true);
      }
      i = end + 1;
      previous = "name";
      continue;
    }
    word.lastIndex = i;
    const match = word.exec(text);
    if (match) {
      i += match[0].length;
      if (caret <= i) {
        const typed = text.slice(begin, caret);
        return /^(exists?|forall|and|or|not)$/.test(match[0]) ? null : sort(i, typed, false);
      }
      const all = match[0] === "all" && /^\s+[\p{L}_]/u.test(text.slice(i)); // all x. …
      if (match[0] === "exists" || match[0] === "forall" || all) binding = true;
      previous = all || ["exists", "forall", "and", "or", "not"].includes(match[0]) ? "operator" : "name";
      continue;
    }
    const bounds = text.slice(i).match(/^\{[^{}]*\}/); // r{1,3}( is an atom, as r( is
    if (bounds && caret >= i + bounds[0].length) {
      i += bounds[0].length;
      previous = "name";
      continue;
    }
    if (c === "∃" || c === "∀") binding = true;
    if (c === ".") binding = false;
    if (c === "(") inside.push(previous === "name" || previous === ")"); // (r|s)( is an atom too
    if (c === ")") inside.pop();
    if (text.startsWith("^-1", i)) i += 2; // r^-1( is an atom too
    else if (text.startsWith("!=", i) || c === "≠") {
      previous = "unequal";
      if (c === "!") i++;
    } else if (!/\s/.test(c)) previous = c === ")" ? ")" : "operator";
    i++;
  }
  if (!asked || binding || previous === ")" || previous === "name") return null;
  const entity = inside.at(-1) === true || previous === "unequal";
  return { kind: entity ? "entity" : "relation", text: "", from: caret, to: caret, sure: true };
}

const plain = /^[\p{L}_][\p{L}\p{N}_]*$/u;
const reserved = new Set(["package", "query", "exists", "forall", "and", "or", "not", "entity", "relation"]);

// written returns a relation's name as a question has it.
export const written = (name) => (plain.test(name) && !reserved.has(name) ? name : JSON.stringify(name));

// raw is the name of a relation as the server takes it outside of questions.
export const raw = ({ name, relation }) => (relation.endsWith("^-1") ? `${name}^-1` : name);

// inserted returns what completing a name puts into the text before rest.
export function inserted(item, rest) {
  if (item.kind === "entity") return JSON.stringify(item.text);
  const name = written(item.text);
  return rest.startsWith("(") || rest.startsWith("^") ? name : `${name}(`;
}
