// A map of answers that have a latitude and a longitude: points on a graticule, without coasts, which would come from elsewhere.
import { svg } from "./dom.js";
import { missing } from "./chart.js";
import { stage, tallest } from "./stage.js";
import { fetchValues } from "./values.js";

const margin = 40, least = 8, steps = [1, 2, 5, 10, 15, 30]; // pixels, degrees
const radian = Math.PI / 180;

// coordinates are the attributes of a model that are latitude and longitude, or null.
export function coordinates(attributes) {
  const named = (...names) => attributes.find((a) => a.kind === "number" && names.includes(a.name.toLowerCase().match(/[a-z]+$/)?.[0]))?.name;
  const found = [named("latitude", "lat"), named("longitude", "long", "lon", "lng")];
  return found.every(Boolean) ? found : null;
}

// range are the least and the most of some numbers, apart at least.
function range(list) {
  const low = Math.min(...list), high = Math.max(...list), more = Math.max(0, least - (high - low)) / 2;
  return [low - more, high + more];
}

const degrees = (x, [positive, negative]) => `${Math.abs(x)}°${x === 0 ? "" : x > 0 ? positive : negative}`;

// multiples are those of a step within a range.
function multiples([low, high], step) {
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.max(0, Math.floor(high / step) - first + 1) }, (_, i) => (first + i) * step);
}

// map draws answers at their places.
export async function map(answers, [latitude, longitude]) {
  const all = (await fetchValues(answers)).map(({ answer, value }) => ({ answer, north: value(latitude), east: value(longitude) }));
  const known = all.filter((x) => Math.abs(x.north) <= 90 && Math.abs(x.east) <= 360);
  const board = stage((width) => draw(known, width), () => {});
  return [known.length > 0 && board.box, missing(all, known, "a place", answers.length)].filter(Boolean);
}

function draw(known, width) {
  const [west, east] = range(known.map((x) => x.east)), [south, north] = range(known.map((x) => x.north));
  const across = Math.cos(((south + north) / 2) * radian); // a degree of longitude by one of latitude
  const scale = Math.min((width - 2 * margin) / ((east - west) * across), (tallest - 2 * margin) / (north - south));
  const x = (degree) => width / 2 + (degree - (west + east) / 2) * across * scale, y = (degree) => margin + (north - degree) * scale;
  const height = y(south) + margin, half = width / 2 / (across * scale);
  const step = steps.find((s) => Math.max(2 * half, north - south) / s <= 10) ?? steps.at(-1);
  const line = (x1, y1, x2, y2) => svg("line", { x1, y1, x2, y2, class: "graticule" });
  const text = (left, top, content) => svg("text", { x: left, y: top, class: "degrees" }, content);
  const graticule = [
    ...multiples([(west + east) / 2 - half, (west + east) / 2 + half], step).flatMap((d) => [line(x(d), 0, x(d), height), text(x(d) + 3, 12, degrees(d, "EW"))]),
    ...multiples([south - margin / scale, north + margin / scale], step).flatMap((d) => [line(0, y(d), width, y(d)), text(3, y(d) - 3, degrees(d, "NS"))]),
  ];
  const taken = []; // boxes of names
  const points = known.map(({ answer, east: lon, north: lat }) => {
    const long = 12 + answer.label.length * 7.5, before = x(lon) + long > width; // the name stands before its point at the right edge
    const box = { left: x(lon) - (before ? long : 6), right: x(lon) + (before ? 6 : long), top: y(lat) - 9, bottom: y(lat) + 9 };
    const free = !taken.some((b) => box.left < b.right && b.left < box.right && box.top < b.bottom && b.top < box.bottom);
    if (free) taken.push(box);
    return svg("g", { class: `point ${answer.status}`, role: "button", tabindex: 0, "data-entity": answer.name, "aria-label": `${answer.label}, ${lat.toFixed(1)} north, ${lon.toFixed(1)} east` },
      svg("title", {}, answer.label), svg("circle", { cx: x(lon), cy: y(lat), r: 12, class: "around" }), svg("circle", { cx: x(lon), cy: y(lat), r: 5 }),
      free && svg("text", { x: x(lon) + (before ? -9 : 9), y: y(lat) + 5, "text-anchor": before ? "end" : "start" }, answer.label));
  });
  return { label: `Map of ${known.length} answers`, width, height, contents: [graticule, points], x: width / 2, y: height / 2 };
}
