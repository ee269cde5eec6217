// Which points the page shows: conditions, a device, the front, and the ranges marked on the parallel coordinates.
'use strict';

// Conditions of the form least <= value <= most.
const conditions = [];
// Numbers of the points inside the ranges that are marked on the parallel coordinates; null: none is marked.
let marked_points = null;

function holds({name, least, most}, point) {
  const value = point.values[name];
  return (least === '' || value >= Number(least)) && (most === '' || value <= Number(most));
}

// What conditions leave; the parallel coordinates show these.
function filteredPoints() {
  const device = byId('filter-fits').value;
  const limit = byId('filter-limit').value;
  return feasible.filter((point) => conditions.every((condition) => holds(condition, point)) &&
    (!byId('filter-front').checked || isOnFront(point)) && (device === 'any' || point.values[`fits.${device}`] === 1) &&
    (limit === 'anything' || point.models.some((model) => model.time.limit === limit)));
}

function shownPoints() {
  const points = filteredPoints().filter((point) => marked_points === null || marked_points.has(point.number));
  byId('filter-note').textContent = `${points.length} of ${feasible.length} points are shown.`;
  return points;
}

function boundInput(condition, key, title) {
  const input = element('input', undefined, {size: 8, value: condition[key], placeholder: title});
  input.setAttribute('aria-label', `${condition.name} ${title}`);
  input.addEventListener('input', () => {
    condition[key] = Number.isNaN(Number(input.value)) ? '' : input.value.trim();
    drawFiltered();
  });
  return input;
}

function conditionRow(condition) {
  const row = element('p', undefined, {className: 'condition'});
  const name = element('select');
  name.append(...pictured.map((option) => element('option', nameForPeople(option), {value: option})));
  name.value = condition.name;
  name.addEventListener('change', () => {
    condition.name = name.value;
    drawConditions();
  });
  const remove = element('button', 'Remove', {type: 'button'});
  remove.addEventListener('click', () => {
    conditions.splice(conditions.indexOf(condition), 1);
    drawConditions();
  });
  row.append(name, ' from ', boundInput(condition, 'least', 'least'), ' to ', boundInput(condition, 'most', 'most'), ' ', remove);
  return row;
}

function drawConditions() {
  byId('conditions').replaceChildren(...conditions.map(conditionRow));
  drawFiltered();
}

function makeFilters() {
  const devices = names.filter((name) => name.startsWith('fits.')).map((name) => name.slice('fits.'.length));
  fillSelect('filter-fits', ['any', ...devices], 'any', drawFiltered);
  const limits = new Set(feasible.flatMap((point) => point.models.map((model) => model.time.limit)));
  fillSelect('filter-limit', ['anything', ...limits], 'anything', drawFiltered);
  byId('filter-front').addEventListener('change', drawFiltered);
  byId('filter-add').addEventListener('click', () => {
    conditions.push({name: pictured.includes('lut') ? 'lut' : pictured[0], least: '', most: ''});
    drawConditions();
  });
}
