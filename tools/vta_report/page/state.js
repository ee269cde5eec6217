// What all parts of the page share: the report that is shown, and the layer that is pointed at or selected.
'use strict';

const {reports} = readPageData((data) => Array.isArray(data?.reports) && data.reports.length > 0);
let report = reports[0];

const isOnVta = (layer) => (layer.kind ?? layer.where) === 'vta';  // older reports have no kind

// What may limit a layer on the VTA: a colour, and a reason as a part of a sentence. Steps of the CPU are grey.
const LIMITS = {
  array: ['#2f6fb5', 'the GEMM array is busy'],
  lanes: ['#7fb0e0', 'its channels fill only a part of the array'],
  ALU: ['#14828a', 'the ALU is busy'],
  reading: ['#d18f00', 'the memory is read as fast as it can'],
  writing: ['#a8641a', 'the memory is written as fast as it can'],
  loads: ['#a23a92', 'the compute unit waits for loads'],
  stores: ['#cf7fc2', 'the compute unit waits for stores'],
  bus: ['#c0504d', 'the compute unit waits for the bus'],
  hazards: ['#6f5fc0', 'the compute unit waits for earlier results'],
  fetch: ['#3f8f4f', 'the compute unit waits for instructions'],
};
function colourOf(number) {
  const layer = report.table.rows[number];
  return (isOnVta(layer) && LIMITS[layer.limit]?.[0]) || styleOf('cpu');
}
// The limits that layers of this report have, for legends.
function limitLegend() {
  const rows = report.table.rows;
  const there = Object.entries(LIMITS).filter(([limit]) => rows.some((layer) => isOnVta(layer) && layer.limit === limit));
  const entries = there.map(([limit, [colour, reason]]) => [colour, `${limit}: ${reason}`]);
  if (!rows.every(isOnVta)) entries.push([styleOf('cpu'), 'a step of the CPU']);
  return entries.map(([colour, text]) => {
    const entry = element('span', text);
    entry.prepend(swatch(colour));
    return entry;
  });
}

// Parts of the page that show layers hear of every change: listener({hovered, selected}, what has changed).
const marked = {hovered: null, selected: null};
const listeners = [];
function mark(kind, layer) {
  if (marked[kind] === layer) return;
  marked[kind] = layer;
  for (const listener of listeners) listener(marked, kind);
}
const hover = (layer) => mark('hovered', layer);
const select = (layer) => mark('selected', layer);

// Marks the elements that belong to the hovered and the selected layer. `elements` maps layers to elements.
function showMarks(elements) {
  for (const [layer, shown] of elements) {
    shown.classList.toggle('hovered', marked.hovered === layer);
    shown.classList.toggle('selected', marked.selected === layer);
  }
}
// An element that stands for a layer: pointing at it, and a click or the Enter key.
function linkToLayer(shown, layer) {
  shown.tabIndex = 0;
  shown.addEventListener('mouseenter', () => hover(layer));
  shown.addEventListener('mouseleave', () => hover(null));
  shown.addEventListener('click', () => select(layer));
  shown.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') select(layer);
  });
}
