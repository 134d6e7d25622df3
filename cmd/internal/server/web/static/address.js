// The address of the page holds the question and what the drawer shows, behind the #.
const drawer = ["entity", "relation", "view"];

const parameters = () => new URLSearchParams(location.hash.slice(1));

// question is the part that asking.js reads and writes.
export function question() {
  const all = parameters();
  for (const name of drawer) all.delete(`drawer.${name}`);
  return all.toString();
}

// shown is what the drawer shows: an entity or a relation, by its name, and the view of it.
export function shown() {
  const all = parameters();
  return Object.fromEntries(drawer.filter((name) => all.has(`drawer.${name}`)).map((name) => [name, all.get(`drawer.${name}`)]));
}

// go makes an address that of the page, with a place in the history.
export function go(asked, looked = {}) {
  const to = new URLSearchParams(asked);
  for (const [name, value] of Object.entries(looked)) if (value) to.set(`drawer.${name}`, value);
  if (to.toString() !== parameters().toString()) history.pushState(null, "", `#${to}`);
}
