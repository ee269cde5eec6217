// The table of all points, and those without results.
'use strict';

const MOST_ROWS = 2000;
let sorted_by = {column: null, direction: 1};

function tableColumns() {
  const wanted = [...data.axes, ...objectives, 'latency_ms', 'agreement_percent', 'utilisation', 'energy_mj', 'lut', 'ff', 'dsp',
    'bram36'];
  const values = [...new Set(wanted)].filter((name) => names.includes(name));
  return [{title: 'point', of: titleOf}, {title: 'memory', of: (point) => point.memory},
    ...values.map((title) => ({title, of: (point) => point.values[title], is_number: true})),
    {title: 'limited by', of: limitsOf}];
}

function compareCells(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a ?? '').localeCompare(String(b ?? ''));
}

function columnHead(column, index) {
  const head = element('th', undefined, {scope: 'col', className: column.is_number ? 'number' : ''});
  const button = element('button', nameForPeople(column.title), {type: 'button', title: meaningOf(column.title)});
  if (sorted_by.column === index) head.setAttribute('aria-sort', sorted_by.direction > 0 ? 'ascending' : 'descending');
  button.addEventListener('click', () => {
    sorted_by = {column: index, direction: sorted_by.column === index ? -sorted_by.direction : 1};
    drawTable(shownPoints());
  });
  head.append(button);
  return head;
}

function drawTable(points) {
  const columns = tableColumns();
  const titles = element('tr');
  titles.append(...columns.map(columnHead));
  const head = element('thead');
  head.append(titles);
  const sorted = [...points];
  const by = columns[sorted_by.column];
  if (by) sorted.sort((a, b) => sorted_by.direction * compareCells(by.of(a), by.of(b)));
  const body = element('tbody');
  for (const point of sorted.slice(0, MOST_ROWS)) {
    const row = element('tr', undefined, {className: isOnFront(point) ? 'front' : ''});
    row.append(...columns.map((column) => {
      const value = column.of(point);
      const text = column.is_number && value !== undefined ? number(value) : value ?? '';
      const cell = element('td', text, {className: column.is_number ? 'number' : ''});
      if (column.is_number) cell.dataset.value = value ?? '';
      return cell;
    }));
    linkToPoint(row, point);
    body.append(row);
  }
  byId('points').replaceChildren(head, body);
}

function drawExcluded() {
  const rest = data.points.filter((point) => point.status !== 'ok');
  byId('excluded-section').hidden = rest.length === 0;
  const body = element('tbody');
  for (const point of rest.slice(0, MOST_ROWS)) {
    const row = element('tr');
    row.append(element('td', titleOf(point)), element('td', point.status), element('td', point.reason));
    body.append(row);
  }
  byId('excluded').replaceChildren(headRow(['point', 'status', 'reason']), body);
  byId('excluded-note').textContent = rest.length > MOST_ROWS ? `The first ${MOST_ROWS} of ${rest.length}; the CSV file has all.` : '';
}
