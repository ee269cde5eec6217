// What all parts of the page share: the report that is shown, and the layer that is pointed at or selected.
'use strict';

const {reports} = JSON.parse(byId('data').textContent);
let report = reports[0];

const isOnVta = (layer) => layer.where === 'vta';

// Neighbours get colours far apart; steps of the CPU are grey.
const layerHue = (number) => `hsl(${(number * 137.508) % 360}, 62%, ${number % 2 ? 42 : 56}%)`;
const colourOf = (number) => isOnVta(report.table.rows[number]) ? layerHue(number) : styleOf('cpu');

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
