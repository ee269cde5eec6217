// The table of layers, and the list of crossings.
'use strict';

const table_rows = new Map();
// Of the values themselves, which the export writes.
const RAW_UNITS = {milliseconds: 'ms', energy: 'pJ', bytes: 'bytes'};

function tableCell(column, value) {
  const cell = element('td', value === undefined || value === null ? '' : column.show(value));
  if (column.format === 'text') cell.title = value ?? '';
  if (column.format !== 'text') {
    cell.className = 'number';
    cell.dataset.value = value ?? '';
  }
  return cell;
}

// A sort function for layers: numbers by size, text by the alphabet, nothing last.
function byColumn({key, format}, direction) {
  return (a, b) => {
    const [x, y] = [report.table.rows[a][key], report.table.rows[b][key]];
    if (x == null || y == null) return (x == null) - (y == null);
    return direction * (format === 'text' ? x.localeCompare(y) : x - y) || a - b;
  };
}

function headOf(column, sort) {
  const head = element('th', undefined, {className: column.format === 'text' ? '' : 'number', scope: 'col'});
  const button = element('button', column.title, {type: 'button', title: column.help});
  if (column.unit) button.textContent += ` (${column.unit})`;
  if (column.unit) head.dataset.value = `${column.title} (${RAW_UNITS[column.format]})`;
  button.addEventListener('click', () => {
    const sorted = head.getAttribute('aria-sort');
    const descending = sorted ? sorted === 'ascending' : column.format !== 'text';
    for (const other of head.parentNode.children) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
    sort(byColumn(column, descending ? -1 : 1));
  });
  head.append(button);
  return head;
}

function layerRow(columns, layer, number) {
  const row = element('tr');
  // What a step of the CPU did not do on the VTA is left out.
  const valueOf = ({key}) => (isOnVta(layer) || layer[key] !== 0 ? layer[key] : null);
  row.append(...columns.map((column) => tableCell(column, valueOf(column))));
  row.firstChild.prepend(swatch(colourOf(number)));
  linkToLayer(row, number);
  table_rows.set(number, row);
  return row;
}

function drawTable() {
  const {rows, total} = report.table;
  const names = shortNames(rows.map((layer) => layer.name), 32);
  const columns = report.table.columns.map((column) => {
    const [show, unit] = columnFormat(column.format, [...rows, total].map((row) => row[column.key]));
    return {...column, unit, show: column.key === 'name' ? (name) => names.get(name) ?? name : show};
  });
  byId('energy-note').textContent = `Energy: ${report.table.energy_note}. Sources: ${report.table.energy_sources.join('; ')}.`;
  table_rows.clear();
  const body = element('tbody');
  body.append(...rows.map((layer, number) => layerRow(columns, layer, number)));
  const sort = (order) => body.append(...[...table_rows.keys()].sort(order).map((number) => table_rows.get(number)));
  const [top, foot, titles, sums] = ['thead', 'tfoot', 'tr', 'tr'].map((tag) => element(tag));
  titles.append(...columns.map((column) => headOf(column, sort)));
  sums.append(...columns.map((column) => tableCell(column, total[column.key])));
  top.append(titles);
  foot.append(sums);
  byId('layers').replaceChildren(top, body, foot);
}

function drawCrossings() {
  const {crossings} = report;
  byId('crossings').replaceChildren();
  if (crossings.length === 0) return;
  const list = element('ul');
  for (const {tensor, op, layer} of crossings) {
    const item = element('li', `${tensor}, for ${op} in ${report.table.rows[layer].name}`);
    linkToLayer(item, layer);
    list.append(item);
  }
  const details = element('details');
  details.append(element('summary', `Crossings, tensors that go from the VTA to the CPU and back: ${crossings.length}`), list);
  byId('crossings').append(details);
}

listeners.push((_, kind) => {
  showMarks(table_rows);
  // The table scrolls inside its own frame; the page stays where it is.
  const row = table_rows.get(marked.selected);
  const frame = byId('layers').parentNode;
  if (kind !== 'selected' || !row || frame.clientHeight === 0) return;
  const top = row.offsetTop - frame.scrollTop;
  if (top < 40 || top > frame.clientHeight - 60) frame.scrollTop = row.offsetTop - frame.clientHeight / 2;
});
