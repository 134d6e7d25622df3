// The questions that were saved and asked, to be asked again.
import * as library from "./library.js";
import { $, button, h } from "./dom.js";

// start makes the shelf work: open asks the question of an address, current is that of the page.
export function start(open, current) {
  $("saving").addEventListener("submit", (event) => {
    event.preventDefault();
    const name = $("save-name").value.trim();
    if (!name || !current()) return;
    library.save(name, current());
    $("save-name").value = "";
    $("saved-state").textContent = `Saved as ${name}.`;
    render(open);
  });
  $("save").addEventListener("click", () => {
    $("shelf").open = true;
    $("save-name").focus();
  });
  library.onChange(() => render(open));
}

// render shows what there is.
export function render(open) {
  const entry = (e, label, detail) => h("li", {},
    button(label, () => open(e.address), { class: "question" }), detail,
    button("×", () => {
      library.forget(e);
      render(open);
      $("shelf").querySelector("summary").focus();
    }, { class: "small", "aria-label": `Forget ${e.name ?? library.formula(e)}` }));
  const code = (e) => h("code", {}, h("bdi", {}, library.formula(e)));
  $("saved").replaceChildren(...library.saved().map((e) => entry(e, [h("bdi", {}, e.name), h("br"), code(e)])));
  $("asked").replaceChildren(...library.asked().map((e) => entry(e, code(e))));
  $("saved-none").hidden = library.saved().length > 0;
  $("asked-none").hidden = library.asked().length > 0;
  $("forget").hidden = library.asked().length === 0;
  $("forget").onclick = () => {
    library.forget(...library.asked());
    render(open);
    $("shelf").querySelector("summary").focus();
  };
}
