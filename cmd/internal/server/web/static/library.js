// Questions that were asked and saved, kept by this browser alone, for each model by itself.
const most = 50;
let key = "efoc-questions";
let kept = { saved: [], asked: [] }; // addresses, where the browser keeps nothing

// use begins with those of a model.
export function use(model) {
  key = `efoc-questions:${model}`;
  read();
}

function read() {
  try {
    const stored = JSON.parse(localStorage.getItem(key)) ?? {};
    const list = (x) => (Array.isArray(x) ? x : []).filter((e) => typeof e?.address === "string");
    kept = { saved: list(stored.saved), asked: list(stored.asked) };
  } catch { /* the browser keeps nothing, or what it kept is damaged */ }
  return kept;
}

function write() {
  try {
    localStorage.setItem(key, JSON.stringify(kept));
  } catch { /* then they are kept as long as the page is open */ }
}

// Entries have the address of a question and the name that it was saved under, or the time when
// it was asked.
export const saved = () => kept.saved;
export const asked = () => kept.asked;
export const formula = (entry) => new URLSearchParams(entry.address).get("q") ?? "";

// remember puts a question first in the history, where its formula was asked before in place of that.
export function remember(address) {
  read();
  const entry = { address, time: Date.now() };
  kept.asked = [entry, ...kept.asked.filter((e) => formula(e) !== formula(entry))].slice(0, most);
  write();
}

// save keeps a question under a name, in place of another of that name.
export function save(name, address) {
  read();
  kept.saved = [...kept.saved.filter((e) => e.name !== name), { name, address }].sort((a, b) => a.name.localeCompare(b.name));
  write();
}

// forget removes the entries that are in a list.
export function forget(...entries) {
  const gone = new Set(entries);
  kept = { saved: kept.saved.filter((e) => !gone.has(e)), asked: kept.asked.filter((e) => !gone.has(e)) };
  write();
}

// onChange calls a function when another tab changed them.
export const onChange = (changed) => addEventListener("storage", (event) => {
  if (event.key !== key) return;
  read();
  changed();
});
