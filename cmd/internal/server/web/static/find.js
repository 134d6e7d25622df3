// The search for an entity, which opens its drawer.
import { complete, wholeField } from "./completion.js";
import { $ } from "./dom.js";

// start makes the field find entities; look shows one. The field has the focus at first, or that of the question if one is asked,
// unless that makes a screen keyboard cover the page.
export function start(look, asked) {
  const field = $("entity-name");
  complete(field, wholeField(field, "entity"), (item) => {
    look({ entity: item.name });
    return item.text;
  }, true);
  if (!matchMedia("(pointer: coarse)").matches) (asked ? $("formula") : field).focus();
}
