// A bar for each layer, the most expensive first.
'use strict';

const FIRST_COSTS = 12;
let costs_all = false;
const cost_rows = new Map();

function costRow(number, most, names) {
  const layer = report.table.rows[number];
  const row = element('div', undefined, {className: 'cost', title: reasonOf(layer)});
  const share = percent(100 * costOf(layer) / report.summary.latency_ms);
  row.append(element('div', names.get(layer.name), {className: 'name', title: layer.name}), bar(costOf(layer) / most, colourOf(number)),
    element('div', `${milliseconds(costOf(layer))}, ${share}, ${isOnVta(layer) ? layer.limit : 'CPU'}`));
  linkToLayer(row, number);
  cost_rows.set(number, row);
  return row;
}

function drawCosts() {
  const {rows} = report.table;
  const order = rows.map((_, number) => number).sort((a, b) => costOf(rows[b]) - costOf(rows[a]) || a - b);
  const names = shortNames(rows.map((layer) => layer.name), 28);
  const shown = costs_all ? order : order.slice(0, FIRST_COSTS);
  cost_rows.clear();
  byId('costs-note').textContent =
    'Time, share of one inference, and what limits the layer, which is the colour of its bar here and in the pictures below.';
  byId('limit-legend').replaceChildren(...limitLegend());
  byId('costs').replaceChildren(...shown.map((number) => costRow(number, costOf(rows[order[0]]), names)));
  const more = byId('costs-more');
  more.hidden = order.length <= FIRST_COSTS;
  more.textContent = costs_all ? `Show the ${FIRST_COSTS} most expensive` : `Show all ${order.length} layers`;
  more.onclick = () => {
    costs_all = !costs_all;
    drawCosts();
  };
}
listeners.push(() => showMarks(cost_rows));
