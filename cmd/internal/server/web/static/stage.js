// A stage shows a drawing that the reader drags, zooms, and views on the whole screen.
import { button, h, svg } from "./dom.js";

export const tallest = 680; // pixels
const smallest = 0.8, slight = 20; // scale, pixels of another width
const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// within is the beginning of a view of some length that has a point in its middle and nothing beyond the drawing.
const within = (point, length, view) => (length <= view ? (length - view) / 2 : Math.min(length - view, Math.max(0, point - view / 2)));

// stage calls draw with the width of its place, first and whenever that changes: it returns the label, the width and the height
// of the drawing, its contents, and the point to be seen. move(element, dx, dy) moves an element of class entity.
export function stage(draw, move) {
  let picture = svg("svg"), drawn = null, width = 0;
  const view = { x: 0, y: 0, scale: 1 };
  const size = () => [picture.clientWidth / view.scale, picture.clientHeight / view.scale];
  const render = () => picture.setAttribute("viewBox", [view.x, view.y, ...size()].join(" "));
  const look = (x, y) => {
    const [wide, high] = size();
    Object.assign(view, { x: within(x, drawn.width, wide), y: within(y, drawn.height, high) });
    render();
  };
  const shift = (dx, dy) => {
    Object.assign(view, { x: view.x + dx, y: view.y + dy });
    render();
  };
  const zoom = (scale) => {
    const [wide, high] = size();
    view.scale = Math.min(4, Math.max(0.1, scale));
    const [less, lower] = size();
    shift((wide - less) / 2, (high - lower) / 2);
  };
  const fit = () => {
    view.scale = Math.min(1.5, picture.clientWidth / drawn.width, picture.clientHeight / drawn.height);
    look(drawn.width / 2, drawn.height / 2);
  };
  const show = () => {
    drawn = draw(width);
    view.scale = Math.max(smallest, Math.min(1, width / drawn.width));
    picture.replaceWith(picture = svg("svg", { class: "witnesses", role: "group", "aria-label": drawn.label, height: Math.min(tallest, drawn.height * view.scale) }, drawn.contents));
    listen(picture, view, shift, zoom, move);
    look(drawn.x, drawn.y);
  };

  const whole = button("Whole screen", () => (document.fullscreenElement ? document.exitFullscreen() : box.requestFullscreen()), { hidden: !document.fullscreenEnabled });
  const bar = h("div", { class: "row" }, button("+", () => zoom(view.scale * 1.25), { "aria-label": "Zoom in" }), button("−", () => zoom(view.scale / 1.25), { "aria-label": "Zoom out" }), button("Fit", fit), whole);
  const keys = (event) => {
    const by = arrows[event.key], node = event.target.closest(".entity");
    if (by && node && event.shiftKey) move(node, 10 * by[0], 10 * by[1]);
    else if (by) shift(40 * by[0], 40 * by[1]);
    else if (event.key === "+" || event.key === "-") zoom(view.scale * (event.key === "+" ? 1.25 : 0.8));
    else return;
    event.preventDefault();
  };
  const box = h("div", { class: "stage", role: "region", "aria-label": "Drawing: arrow keys move the view, with Shift an entity; + and − zoom", tabindex: 0, onkeydown: keys }, bar, picture);
  new ResizeObserver(() => requestAnimationFrame(() => {
    if (box.clientWidth === 0 || Math.abs(box.clientWidth - width) < slight) return;
    width = box.clientWidth;
    show();
  })).observe(box);
  return { box, show: () => width > 0 && show() };
}

// listen drags entities and the view by the pointer, zooms by the wheel with Ctrl or on the whole screen, and brings what has the
// focus into view.
function listen(picture, view, shift, zoom, move) {
  picture.addEventListener("pointerdown", (event) => {
    const node = event.target.closest(".entity"), begin = [event.clientX, event.clientY];
    let last = begin, dragged = false;
    const drag = (e) => {
      dragged ||= Math.hypot(e.clientX - begin[0], e.clientY - begin[1]) > 4; // less is a click
      if (!dragged) return;
      picture.setPointerCapture(e.pointerId);
      const dx = (e.clientX - last[0]) / view.scale, dy = (e.clientY - last[1]) / view.scale;
      last = [e.clientX, e.clientY];
      if (node) move(node, dx, dy);
      else shift(-dx, -dy);
    };
    const end = new AbortController();
    picture.addEventListener("pointermove", drag, { signal: end.signal });
    for (const over of ["pointerup", "pointercancel"]) addEventListener(over, () => end.abort(), { signal: end.signal });
  });
  picture.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !document.fullscreenElement) return; // it scrolls the page
    event.preventDefault();
    zoom(view.scale * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
  }, { passive: false });
  picture.addEventListener("focusin", (event) => {
    const a = event.target.getBoundingClientRect(), all = picture.getBoundingClientRect();
    if (a.left >= all.left && a.right <= all.right && a.top >= all.top && a.bottom <= all.bottom) return;
    shift((a.left + a.right - all.left - all.right) / 2 / view.scale, (a.top + a.bottom - all.top - all.bottom) / 2 / view.scale);
  });
}
