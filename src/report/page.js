/* What the page can do with JavaScript: a map that zooms and tells, sliders. Everything else stands without it. */
(function () {
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const byId = id => document.getElementById(id);
const make = (name, attributes, text) => {
const element = document.createElement(name);
for (const key in attributes || {}) element.setAttribute(key, attributes[key]);
if (text !== undefined) element.textContent = text;
return element;
};
const bytesOf = text => {
const binary = atob(text), bytes = new Uint8Array(binary.length);
for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
return bytes;
};
const colour = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const rgb = hex => [1, 3, 5].map(at => parseInt(hex.substr(at, 2), 16));
const short = value => {
if (value === 0) return "0";
const size = Math.abs(value);
return size >= 1e5 || size < 1e-3 ? value.toExponential(1) : String(Number(value.toPrecision(3)));
};
/* --- the map --- */
const layers = data.layers, columns = data.columns, group = data.group;
const held = {};
const unpack = (key, text) => held[key] || (held[key] = bytesOf(text));
const bit = (bytes, cell) => bytes[cell >> 3] >> (cell & 7) & 1;
/* A plane's byte as the number it stands for; NaN: none. */
const valueOf = (plane, byte) => {
if (byte === 0) return NaN;
const at = plane.lo + (plane.hi - plane.lo) * (byte - 1) / 254;
return plane.scale === "log" ? Math.pow(10, at) : plane.scale === "bend" ? plane.unit * Math.sinh(at) : at;
};
const views = [{name: "saturated", kind: "share"}]
.concat(data.criteria.map((c, i) => ({name: c.name, kind: "bits", index: i})))
.concat(data.planes.map((p, i) => ({name: p.name, kind: "plane", index: i})));
function startMap() {
const live = byId("map-live"), tools = make("div", {class: "tools"});
const chooser = make("select", {id: "map-view"}), label = make("label", {}, "Show ");
const names = ["saturated", "criteria", "values"];
const groups = names.map(name => make("optgroup", {label: name}));
views.forEach((view, i) => groups[view.kind === "share" ? 0 : view.kind === "bits" ? 1 : 2].append(make("option", {value: i}, view.name)));
groups.forEach(g => { if (g.children.length) chooser.append(g); });
label.append(chooser);
tools.append(label);
const button = (text, name, action) => {
const b = make("button", {type: "button", "aria-label": name, title: name}, text);
b.addEventListener("click", action);
tools.append(b);
return b;
};
const canvas = make("canvas", {id: "map-canvas", tabindex: "0", role: "application", "aria-roledescription": "map",
"aria-label": "Map of neurons. Arrow keys move, plus and minus zoom, 0 shows all.", "aria-describedby": "map-readout"});
const legend = make("div", {class: "legend"});
const from = make("span"), bar = make("canvas", {width: "192", height: "1", "aria-hidden": "true"}), to = make("span"), also = make("span");
const readout = make("p", {id: "map-readout", "aria-live": "polite"});
legend.append(from, bar, to, also);
live.append(tools, canvas, legend, readout);
const LEFT = 44, BOTTOM = 22;
const rowHeight = Math.max(2, Math.min(60, Math.max(90 / layers, Math.min(16, 460 / layers))));
let view = views[0], first = 0, span = columns, chosen = null, pending = false;
const say = () => {
if (!chosen) {
readout.textContent = "Point at a neuron, or focus the map and use the arrow keys. Drag moves, double click or + zooms; the wheel zooms once the map has focus.";
return;
}
const cell = chosen.layer * columns + chosen.column, begin = chosen.column * group;
const last = Math.min(begin + group, data.neurons) - 1;
const share = unpack("share", data.share)[cell];
let text = "Layer " + chosen.layer + ", neuron" + (last > begin ? "s " + begin + " to " + last : " " + begin) + ": ";
if (share === 255) text += "not measured";
else if (last > begin) text += (100 * share / 254).toFixed(0) + "% saturated";
else text += share ? "saturated" : "active";
if (bit(unpack("super", data.super), cell)) text += ", super neuron (never to be removed)";
const met = data.criteria.filter((c, i) => bit(unpack("c" + i, c.bits), cell)).map(c => c.name);
if (met.length) text += ". Meets " + met.join(", ");
text += ". " + (last > begin ? "Averages: " : "About: ");
text += data.planes.map((p, i) => {
const value = valueOf(p, unpack("p" + i, p.bytes)[cell]);
return p.name + " " + (isNaN(value) ? "none" : p.scale === "linear" ? (100 * value).toFixed(0) + "%" : short(value));
}).join("; ") + ".";
readout.textContent = text;
};
/* What is shown of cells [a, b) of a layer: 0 to 1; -1 nothing measured. */
const shade = (bytes, layer, a, b) => {
let sum = 0, count = 0;
const row = layer * columns;
for (let c = a; c < b; c++) {
if (view.kind === "bits") { sum += bit(bytes, row + c); count++; continue; }
const byte = bytes[row + c];
if (view.kind === "share") { if (byte !== 255) { sum += byte / 254; count++; } }
else if (byte) { sum += (byte - 1) / 254; count++; }
}
return count ? sum / count : -1;
};
/* 256 colours from nothing to all; values that bend have nothing in their middle. */
const ramp = () => {
const paper = rgb(colour("paper")), ends = [rgb(colour("gate")), rgb(colour("up"))], full = rgb(colour("accent")), table = [];
const bends = view.kind === "plane" && data.planes[view.index].scale === "bend";
for (let i = 0; i < 256; i++) {
let t = i / 255, end = full;
if (bends) { end = ends[t < 0.5 ? 0 : 1]; t = Math.abs(2 * t - 1); }
else if (view.kind !== "plane") t = i ? 0.16 + 0.84 * t : 0;
table.push(paper.map((p, k) => Math.round(p + (end[k] - p) * t)));
}
return table;
};
const bytesOfView = () => view.kind === "share" ? unpack("share", data.share) :
view.kind === "bits" ? unpack("c" + view.index, data.criteria[view.index].bits) : unpack("p" + view.index, data.planes[view.index].bytes);
const draw = () => {
pending = false;
const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = Math.round(rowHeight * layers) + BOTTOM;
canvas.style.height = height + "px";
canvas.width = Math.max(1, Math.round(width * ratio));
canvas.height = Math.round(height * ratio);
const pen = canvas.getContext("2d"), plot = Math.max(1, Math.round((width - LEFT - 2) * ratio));
const image = new ImageData(plot, layers), bytes = bytesOfView(), colours = ramp(), muted = rgb(colour("muted"));
for (let l = 0; l < layers; l++)
for (let x = 0; x < plot; x++) {
const a = Math.min(columns - 1, Math.floor(first + span * x / plot)), b = Math.max(a + 1, Math.min(columns, Math.floor(first + span * (x + 1) / plot)));
const s = shade(bytes, l, a, b), c = s < 0 ? muted : colours[s > 0 ? Math.max(1, Math.round(255 * s)) : 0], at = 4 * (l * plot + x);
image.data[at] = c[0]; image.data[at + 1] = c[1]; image.data[at + 2] = c[2]; image.data[at + 3] = s < 0 ? 110 : 255;
}
const aside = make("canvas", {width: plot, height: layers});
aside.getContext("2d").putImageData(image, 0, 0);
pen.imageSmoothingEnabled = false;
pen.drawImage(aside, 0, 0, plot, layers, LEFT * ratio, 0, plot, rowHeight * layers * ratio);
pen.scale(ratio, ratio);
pen.strokeStyle = colour("rule");
pen.strokeRect(LEFT - 0.5, 0.5, width - LEFT - 1, rowHeight * layers - 1);
pen.fillStyle = colour("muted");
pen.font = "11px system-ui,sans-serif";
pen.textAlign = "right";
const skip = Math.max(1, Math.ceil(13 / rowHeight));
for (let l = 0; l < layers; l += skip) pen.fillText(l, LEFT - 6, (l + 0.5) * rowHeight + 4);
drawColumns(pen, width);
drawSuper(pen, width);
if (chosen) {
const x = xOf(chosen.column, width), wide = Math.max(3, (width - LEFT - 2) / span);
pen.strokeStyle = colour("ink");
pen.lineWidth = 2;
pen.strokeRect(x - 1, chosen.layer * rowHeight - 1, wide + 2, rowHeight + 2);
}
};
const xOf = (column, width) => LEFT + (column - first) / span * (width - LEFT - 2);
const drawColumns = (pen, width) => {
const wanted = span * group / 8, power = Math.pow(10, Math.floor(Math.log10(Math.max(1, wanted))));
const step = Math.max(1, [1, 2, 5, 10].map(f => f * power).find(f => f >= wanted) || 10 * power);
pen.textAlign = "center";
for (let n = Math.ceil(first * group / step) * step; n < (first + span) * group && n < data.neurons; n += step)
pen.fillText(n, Math.min(width - 16, xOf((n + 0.5) / group, width)), rowHeight * layers + 15);
};
/* A triangle where a super neuron is: form, not colour, tells them. */
const drawSuper = (pen, width) => {
const bits = unpack("super", data.super);
pen.fillStyle = colour("strong");
pen.strokeStyle = colour("paper");
pen.lineWidth = 1;
for (let l = 0; l < layers; l++) {
let before = -9;
for (let c = Math.floor(first); c < Math.min(columns, Math.ceil(first + span)); c++) {
if (!bit(bits, l * columns + c)) continue;
const x = xOf(c + 0.5, width), y = (l + 0.5) * rowHeight;
if (x - before < 4 || x < LEFT) continue;
before = x;
pen.beginPath();
pen.moveTo(x, y - 5);
pen.lineTo(x + 5, y + 4);
pen.lineTo(x - 5, y + 4);
pen.closePath();
pen.fill();
pen.stroke();
}
}
};
const redraw = () => { if (!pending) { pending = true; requestAnimationFrame(draw); } };
const tellLegend = () => {
const colours = ramp(), pen = bar.getContext("2d"), image = new ImageData(192, 1);
for (let x = 0; x < 192; x++) {
const c = colours[Math.round(255 * x / 191)];
image.data[4 * x] = c[0]; image.data[4 * x + 1] = c[1]; image.data[4 * x + 2] = c[2]; image.data[4 * x + 3] = 255;
}
pen.putImageData(image, 0, 0);
const plane = view.kind === "plane" ? data.planes[view.index] : null;
from.textContent = !plane ? "none of them" : plane.scale === "linear" ? "0%" : short(valueOf(plane, 1));
to.textContent = !plane ? "all" : plane.scale === "linear" ? "100%" : short(valueOf(plane, 255));
also.textContent = "\u25b2 super neuron" + (plane && plane.scale === "bend" ? "; pale: near 0" : "") + "; grey: not measured";
};
const look = (start, wide) => {
span = Math.max(Math.min(8, columns), Math.min(columns, wide));
first = Math.max(0, Math.min(columns - span, start));
canvas.dataset.first = String(Math.round(first * group));
canvas.dataset.span = String(Math.round(span * group));
redraw();
};
const zoom = (factor, about) => {
const middle = about === undefined ? first + span / 2 : about, wide = Math.max(Math.min(8, columns), Math.min(columns, span * factor));
look(middle - (middle - first) * wide / span, wide);
};
const choose = (layer, column) => {
chosen = {layer: Math.max(0, Math.min(layers - 1, layer)), column: Math.max(0, Math.min(columns - 1, column))};
if (chosen.column < first || chosen.column >= first + span) look(chosen.column - span / 2, span);
say();
redraw();
};
const columnAt = event => first + span * (event.offsetX - LEFT) / (canvas.clientWidth - LEFT - 2);
button("+", "zoom in", () => zoom(0.5, chosen ? chosen.column + 0.5 : undefined));
button("\u2212", "zoom out", () => zoom(2));
button("all", "show all neurons", () => look(0, columns));
chooser.addEventListener("change", () => { view = views[chooser.value]; tellLegend(); redraw(); });
let drag = null;
canvas.addEventListener("pointermove", event => {
if (drag && event.buttons) {
look(drag.first - span * (event.offsetX - drag.x) / (canvas.clientWidth - LEFT - 2), span);
return;
}
const layer = Math.floor(event.offsetY / rowHeight), column = Math.floor(columnAt(event));
if (layer < layers && column >= first - 1 && column < first + span) choose(layer, Math.max(column, Math.floor(first)));
});
canvas.addEventListener("pointerdown", event => { drag = {x: event.offsetX, first: first}; canvas.setPointerCapture(event.pointerId); });
canvas.addEventListener("pointerup", () => { drag = null; });
canvas.addEventListener("dblclick", event => zoom(0.4, columnAt(event)));
canvas.addEventListener("wheel", event => {
if (document.activeElement !== canvas && !event.ctrlKey) return;
event.preventDefault();
if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) look(first + span * event.deltaX / 900, span);
else zoom(Math.exp(event.deltaY / 500), columnAt(event));
}, {passive: false});
canvas.addEventListener("keydown", event => {
const at = chosen || {layer: 0, column: Math.floor(first)}, far = event.shiftKey ? Math.max(1, Math.round(span / 10)) : 1;
const moves = {ArrowLeft: [0, -far], ArrowRight: [0, far], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -columns], End: [0, columns]};
if (event.ctrlKey || event.altKey || event.metaKey) return;
if (moves[event.key]) choose(at.layer + moves[event.key][0], at.column + moves[event.key][1]);
else if (event.key === "+" || event.key === "=") zoom(0.5, at.column + 0.5);
else if (event.key === "-") zoom(2, at.column + 0.5);
else if (event.key === "0") look(0, columns);
else return;
event.preventDefault();
});
byId("map-still").hidden = true;
live.hidden = false;
look(0, columns);
tellLegend();
say();
new ResizeObserver(redraw).observe(canvas);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { tellLegend(); redraw(); });
}
/* --- the sliders --- */
const verdict = share => share < 0.1 - 1e-9 ? "LOW" : share > 0.3 + 1e-9 ? "HIGH" : "MODERATE";
/* As summary.c has it: means over the layers that were measured. */
const outcome = (knob, point) => {
let saturated = 0, removable = 0, speedup = 0, inverse = 0, count = 0;
for (let l = 0; l < layers; l++) {
if (!data.measured[l]) continue;
const share = knob.saturated[point][l] / data.neurons, own = share < 1 ? Math.min(1 / (1 - share), 20) : 20;
saturated += share;
removable += knob.removable[point][l] / data.neurons;
speedup += own;
inverse += 1 / own;
count++;
}
return count ? {saturated: saturated / count, removable: removable / count, speedup: speedup / count, stack: count / inverse} : null;
};
/* Bars of the layers now, with a dash where they stand as things are. */
const drawMini = (svg, knob, point) => {
const space = "http://www.w3.org/2000/svg", wide = 480 / layers, counts = knob[knob.option === "super-ratio" ? "removable" : "saturated"];
let most = 0.1, text = "";
svg.setAttribute("viewBox", "0 0 480 56");
svg.setAttribute("preserveAspectRatio", "none");
while (svg.firstChild) svg.firstChild.remove();
for (let l = 0; l < layers; l++) most = Math.max(most, counts[point][l] / data.neurons, counts[knob.own][l] / data.neurons);
const put = (name, attributes) => {
const element = document.createElementNS(space, name);
for (const key in attributes) element.setAttribute(key, attributes[key]);
svg.append(element);
};
for (let l = 0; l < layers; l++) {
const now = 54 * counts[point][l] / data.neurons / most, was = 54 * counts[knob.own][l] / data.neurons / most;
put("rect", {class: "bar", x: l * wide + 0.12 * wide, width: 0.76 * wide, y: 55 - now, height: now});
put("path", {class: "whisker", d: "M" + l * wide + " " + (55 - was) + "h" + wide, "vector-effect": "non-scaling-stroke"});
text += (l ? ", " : "") + (100 * counts[point][l] / data.neurons).toFixed(1) + "%";
}
svg.setAttribute("aria-label", "By layer at this threshold: " + text);
};
function startKnob(knob, box) {
const slider = box.querySelector("input"), readout = box.querySelector(".readout"), cursor = box.querySelector(".cursor");
const mini = box.querySelector(".mini"), code = box.querySelector(".live code");
const show = () => {
const point = Number(slider.value), o = outcome(knob, point), value = knob.points[point];
cursor.setAttribute("transform", "translate(" + knob.x[point] + " 0)");
const text = o === null ? value + ": nothing was measured" :
value + (point === knob.own ? " (as it is)" : "") + ": " + (100 * o.saturated).toFixed(1) + "% saturated, " + (100 * o.removable).toFixed(1) +
"% removable: " + verdict(o.removable) + ". FFN stack " + o.stack.toFixed(2) + "x, average EstSpeedup " + o.speedup.toFixed(2) + "x.";
readout.textContent = text;
slider.setAttribute("aria-valuetext", text);
code.textContent = "phi3sat report A.h5 --" + knob.option + " " + value + " --html page.html";
drawMini(mini, knob, point);
};
slider.max = knob.points.length - 1;
slider.value = knob.own;
slider.addEventListener("input", show);
box.querySelector(".live").hidden = false;
show();
}
if (data.columns > 0 && layers > 0) startMap();
data.knobs.forEach((knob, i) => startKnob(knob, document.querySelector("[data-knob='" + i + "']")));
/* The main table is printed although it is folded away on the screen. */
let opened = [];
addEventListener("beforeprint", () => {
opened = Array.from(document.querySelectorAll("details.printed:not([open])"));
opened.forEach(d => { d.open = true; });
});
addEventListener("afterprint", () => opened.forEach(d => { d.open = false; }));
}());
