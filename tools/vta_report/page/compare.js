// Several reports side by side. The first one is what the others are measured against.
'use strict';

// What is compared: title, value of a report's summary, format, and which direction is better (-1: less, 0: neither).
const COMPARED = [
  ['latency', (r) => r.summary.latency_ms, milliseconds, -1],
  ['on the VTA', (r) => r.summary.vta_ms, milliseconds, -1],
  ['on the CPU, as measured', (r) => r.summary.cpu_ms, milliseconds, -1],
  ['frames per second', (r) => r.summary.frames_per_second, (value) => value.toPrecision(4).replace(/e.*/, ''), 1],
  ['cycles on the VTA', (r) => r.summary.cycles, count, -1],
  ['clock', (r) => r.summary.clock_mhz, (value) => `${value} MHz`, 0],
  ['share of the roofline', (r) => r.summary.roofline_percent, percent, 1],
  ['energy per inference (estimate)', (r) => r.summary.energy_pj, energy, -1],
  ['read from DRAM', (r) => r.summary.dram_read_bytes, bytes, -1],
  ['written to DRAM', (r) => r.summary.dram_write_bytes, bytes, -1],
  ['LUTs (estimate)', (r) => r.summary.area?.lut, count, -1],
  ['DSP blocks (estimate)', (r) => r.summary.area?.dsp, count, -1],
  ['block RAMs of 36 Kb (estimate)', (r) => r.summary.area?.bram36, (value) => value.toFixed(1), -1],
  ['steps on the CPU', (r) => r.summary.cpu_steps, count, -1],
  ['crossings', (r) => r.crossings.length, count, -1],
];

function drawTotals() {
  const titles = element('tr');
  titles.append(element('th', ''), ...reports.map((r, number) => {
    const head = element('th', r.label, {scope: 'col', className: 'number', title: `${r.model} on ${r.device}; ${r.hw}`});
    head.prepend(swatch(colourOfNumber(number)));
    return head;
  }));
  const body = element('tbody');
  for (const [title, valueOf, format, better] of COMPARED) {
    const row = element('tr');
    row.append(element('td', title), ...reports.map((r, number) => {
      const cell = element('td', valueOf(r) === undefined ? '' : format(valueOf(r)), {className: 'number'});
      if (number > 0) cell.append(difference(valueOf(r), valueOf(reports[0]), better));
      return cell;
    }));
    body.append(row);
  }
  for (const [title, text] of [['model', (r) => r.model], ['device', (r) => r.device]]) {
    const row = element('tr');
    row.append(element('td', title), ...reports.map((r) => element('td', text(r), {className: 'number'})));
    body.append(row);
  }
  const head = element('thead');
  head.append(titles);
  byId('compare-totals').replaceChildren(head, body);
}

// Layers of all reports by name; the n-th of a name is matched with the n-th of that name in other reports.
function matchedLayers() {
  const matched = new Map();
  reports.forEach((r, number) => {
    const seen = new Map();
    for (const layer of r.table.rows) {
      const turn = (seen.get(layer.name) ?? 0) + 1;
      seen.set(layer.name, turn);
      const key = `${layer.name}\n${turn}`;
      if (!matched.has(key)) matched.set(key, {name: layer.name, layers: []});
      matched.get(key).layers[number] = layer;
    }
  });
  return [...matched.values()];
}

// The bars of one layer, one for each report.
function comparedLayer(name, shown_name, layers, most) {
  const group = element('div', undefined, {className: 'compared'});
  reports.forEach((_, number) => {
    const layer = layers[number];
    const row = element('div', undefined, {className: 'cost'});
    const text = element('div', layer ? `${milliseconds(costOf(layer))}, ${isOnVta(layer) ? layer.limit : 'CPU'}` : 'not there');
    if (layer && layers[0] && number > 0) text.append(difference(costOf(layer), costOf(layers[0]), -1));
    row.append(element('div', number === 0 ? shown_name : '', {className: 'name', title: name}),
      bar(layer ? costOf(layer) / most : 0, colourOfNumber(number)), text);
    group.append(row);
  });
  return group;
}

let compared_all = false;
function drawComparedLayers() {
  const matched = matchedLayers();
  const longest = ({layers}) => Math.max(...layers.filter(Boolean).map(costOf));
  matched.sort((a, b) => longest(b) - longest(a));
  const most = longest(matched[0]);
  const shown = compared_all ? matched : matched.slice(0, FIRST_COSTS);
  const names = shortNames(matched.map(({name}) => name), 28);
  const more = byId('compare-more');
  more.hidden = matched.length <= FIRST_COSTS;
  more.textContent = compared_all ? `Show the ${FIRST_COSTS} most expensive` : `Show all ${matched.length} layers`;
  more.onclick = () => {
    compared_all = !compared_all;
    drawComparedLayers();
  };
  byId('compare-layers').replaceChildren(...shown.map(({name, layers}) => comparedLayer(name, names.get(name), layers, most)));
}

function drawComparison() {
  if (reports.length < 2) return;
  byId('compare').hidden = false;
  drawTotals();
  drawComparedLayers();
  const choice = byId('report-choice');
  choice.replaceChildren(...reports.map(({label}, number) => element('option', label, {value: number})));
  choice.addEventListener('change', () => {
    report = reports[choice.value];
    marked.hovered = marked.selected = null;
    drawReport();
    showSelected();
  });
}
