// Draws the results of a sweep from the JSON in #data. Text reaches the page only as text.
'use strict';

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId('data').textContent);
const escaped = (text) => echarts.format.encodeHTML(String(text));
const front = new Set(data.front);
const feasible = data.points.filter((point) => point.status === 'ok');
const objectives = data.objectives.map((objective) => objective.text);
const number = (value) => (Math.abs(value) >= 1e5 ? Math.round(value).toLocaleString('en') : Number(value.toPrecision(5)).toString());

// Values that differ between points; those that do not say nothing in a picture.
const names = [...new Set(feasible.flatMap((point) => Object.keys(point.values)))];
const varying = names.filter((name) => new Set(feasible.map((point) => point.values[name])).size > 1);
const chosen = new Set();

const charts = new Map();
function draw(id, option) {
  if (!charts.has(id)) charts.set(id, echarts.init(byId(id), null, {renderer: feasible.length > 2000 ? 'canvas' : 'svg'}));
  charts.get(id).setOption({animation: false, ...option}, true);
}
window.addEventListener('resize', () => charts.forEach((chart) => chart.resize()));

function element(tag, text, properties) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  return Object.assign(made, properties);
}

function fillSelect(id, options, selected) {
  const select = byId(id);
  for (const option of options) select.append(element('option', option, {value: option}));
  select.value = options.includes(selected) ? selected : options[0] ?? '';
  select.addEventListener('change', drawAll);
}

function shownPoints() {
  const name = byId('filter-name').value;
  const text = byId('filter-most').value.trim();
  const most = text === '' ? Infinity : Number(text);
  const device = byId('filter-fits').value;
  const shown = feasible.filter((point) => (!byId('filter-front').checked || front.has(point.number)) &&
    !(point.values[name] > most) && (device === 'any' || point.values[`fits.${device}`] === 1));
  byId('filter-note').textContent = `${shown.length} of ${feasible.length} points`;
  return shown;
}

const tipOf = (point) => [`<b>${escaped(point.text || 'the base')}</b>`,
  ...data.objectives.map((o) => `${escaped(o.text)}: ${number(point.values[o.text] ?? NaN)}`),
  ...point.models.map((model) => `${escaped(model.name)}: limited by ${escaped(model.time.limit)}`)].join('<br>');

function drawScatter(points) {
  const [x, y, colour] = ['axis-x', 'axis-y', 'axis-colour'].map((id) => byId(id).value);
  const colours = points.map((point) => point.values[colour]);
  const item = (point) => ({value: [point.values[x], point.values[y], point.values[colour]], point,
    symbolSize: front.has(point.number) ? 13 : 6,
    itemStyle: chosen.has(point.number) ? {borderColor: '#000', borderWidth: 2} : {}});
  const onFront = points.filter((point) => front.has(point.number)).sort((a, b) => a.values[x] - b.values[x]);
  draw('scatter', {
    tooltip: {formatter: (params) => (params.data.point ? tipOf(params.data.point) : '')},
    grid: {left: 90, right: 110, top: 20, bottom: 50},
    xAxis: {name: x, nameLocation: 'middle', nameGap: 30, scale: true},
    yAxis: {name: y, scale: true},
    visualMap: {dimension: 2, min: Math.min(...colours), max: Math.max(...colours), right: 0, top: 'middle', text: [colour, ''],
      inRange: {color: ['#2f6fb5', '#d18f00', '#a40000']}, seriesIndex: 0},
    series: [{type: 'scatter', data: points.map(item)},
      {type: 'line', data: objectives.length === 2 ? onFront.map((point) => [point.values[x], point.values[y]]) : [],
        symbol: 'none', step: 'end', lineStyle: {color: '#8791a3', width: 1}}],
  });
  charts.get('scatter').off('click');
  charts.get('scatter').on('click', ({data: {point}}) => {
    if (!point) return;
    if (!chosen.delete(point.number)) chosen.add(point.number);
    drawAll();
  });
}

function drawParallel(points) {
  const axes = [...new Set([...data.axes, ...objectives, 'latency_ms', 'utilisation', 'energy_mj', 'lut', 'dsp', 'bram36'])]
    .filter((name) => varying.includes(name)).slice(0, 14);
  draw('parallel', {
    parallelAxis: axes.map((name, dim) => ({dim, name, scale: true, nameTextStyle: {fontSize: 11}})),
    parallel: {left: 60, right: 60, top: 50, bottom: 30},
    series: [{type: 'parallel', inactiveOpacity: 0.03, activeOpacity: 0.7, lineStyle: {width: 1, color: '#2f6fb5'},
      data: points.map((point) => ({value: axes.map((name) => point.values[name]),
        lineStyle: front.has(point.number) ? {color: '#a40000', width: 2} : {}}))}],
  });
}

/** Points to compare: those that were clicked, else some along the front. */
function comparedPoints() {
  if (chosen.size > 0) return feasible.filter((point) => chosen.has(point.number));
  const all = feasible.filter((point) => front.has(point.number)).sort((a, b) => a.objectives[0] - b.objectives[0]);
  const most = Math.min(all.length, 6);
  return Array.from({length: most}, (_, i) => all[most < 2 ? 0 : Math.floor(i * (all.length - 1) / (most - 1))]);
}

const CAUSES = [['computing', 'computing'], ['for_load', 'waiting for loads'], ['for_store', 'waiting for stores'],
  ['bus', 'loads of its own'], ['hazard', 'hazards'], ['fetch', 'fetching instructions']];
const CAUSE_COLOURS = ['#3f8f4f', '#2f6fb5', '#8a1c7c', '#d18f00', '#a40000', '#8791a3'];

function drawLimits() {
  const rows = comparedPoints().flatMap((point) => point.models.map((model) => ({point, model})));
  draw('limits', {
    tooltip: {}, legend: {}, color: CAUSE_COLOURS, grid: {left: 20, right: 30, top: 40, bottom: 30, containLabel: true},
    xAxis: {max: 100, axisLabel: {formatter: '{value} %'}},
    yAxis: {type: 'category', data: rows.map(({point, model}) => `${point.text || 'the base'}: ${model.name}`),
      axisLabel: {width: 420, overflow: 'truncate'}},
    series: CAUSES.map(([key, title]) => ({name: title, type: 'bar', stack: 'all',
      data: rows.map(({model}) => Number((100 * model.time[key]).toFixed(2)))})),
  });
}

function drawLayers() {
  const wanted = byId('layers-model').value;
  const known = feasible.filter((point) => data.layers[point.number]);
  if (known.length === 0) {
    byId('layers-note').textContent = 'The layers of no point were measured.';
    byId('layers').style.display = 'none';
    return;
  }
  const layersOf = (point) => data.layers[point.number].find((model) => model.model === wanted).layers;
  draw('layers', {
    tooltip: {trigger: 'axis'}, legend: {type: 'scroll'}, grid: {left: 20, right: 30, top: 50, bottom: 20, containLabel: true},
    xAxis: {type: 'category', data: layersOf(known[0]).map((layer) => layer.layer), axisLabel: {rotate: 50, width: 160, overflow: 'truncate'}},
    yAxis: {name: 'cycles'},
    series: known.map((point) => ({name: point.text || 'the base', type: 'bar', data: layersOf(point).map((layer) => layer.cycles)})),
  });
}

/** Points that differ in nothing but the memory, and the rank of each among all points with one memory. */
function drawMemories() {
  const memories = [...new Set(feasible.map((point) => point.memory))];
  if (memories.length < 2) {
    byId('memories-note').textContent = 'The sweep has one memory: there is nothing to rank.';
    byId('memories').style.display = 'none';
    return;
  }
  const accelerator = (point) => JSON.stringify(point.choices.slice(0, -1));
  const ranks = memories.map((memory) => new Map(feasible.filter((point) => point.memory === memory)
    .sort((a, b) => a.objectives[0] - b.objectives[0]).map((point, rank) => [accelerator(point), {rank: rank + 1, point}])));
  const best = [...new Set(ranks.flatMap((rank) => [...rank.keys()].slice(0, 10)))].filter((key) => ranks.every((rank) => rank.has(key)));
  byId('memories-note').textContent =
    `Rank by ${objectives[0]} of the accelerators that are among the ten best with any memory. Lines that cross are rankings that flip.`;
  draw('memories', {
    tooltip: {formatter: (params) => escaped(params.seriesName)}, grid: {left: 60, right: 60, top: 20, bottom: 40},
    xAxis: {type: 'category', data: memories, boundaryGap: false}, yAxis: {inverse: true, min: 1, name: 'rank'},
    series: best.map((key) => ({type: 'line', name: ranks[0].get(key).point.text, data: ranks.map((rank) => rank.get(key).rank)})),
  });
}

let sortBy = {column: 0, down: false};
function drawTable(points) {
  const columns = [...new Set([...data.axes, ...objectives, 'latency_ms', 'utilisation', 'energy_mj', 'lut', 'ff', 'dsp', 'bram36'])]
    .filter((name) => names.includes(name));
  const heads = ['point', 'memory', ...columns, 'limited by'];
  const cells = (point) => [point.text || 'the base', point.memory, ...columns.map((name) => point.values[name]),
    point.models.map((model) => model.time.limit).join(', ')];
  const rows = points.map((point) => ({point, cells: cells(point)}));
  rows.sort((a, b) => {
    const [x, y] = [a.cells[sortBy.column], b.cells[sortBy.column]];
    return (x < y ? -1 : x > y ? 1 : 0) * (sortBy.down ? -1 : 1);
  });
  const table = byId('points');
  table.replaceChildren();
  const head = table.createTHead().insertRow();
  heads.forEach((text, column) => head.append(element('th', text, {onclick() {
    sortBy = {column, down: sortBy.column === column && !sortBy.down};
    drawAll();
  }})));
  const body = table.createTBody();
  for (const row of rows.slice(0, 2000)) {
    const line = body.insertRow();
    line.className = front.has(row.point.number) ? 'front' : '';
    for (const cell of row.cells) line.insertCell().textContent = typeof cell === 'number' ? number(cell) : cell;
  }
}

function drawExcluded() {
  const body = byId('excluded').createTBody();
  const rest = data.points.filter((point) => point.status !== 'ok');
  for (const point of rest.slice(0, 2000)) {
    const line = body.insertRow();
    for (const cell of [point.text, point.status, point.reason]) line.insertCell().textContent = cell;
  }
  if (rest.length > 2000) body.insertRow().insertCell().textContent = `... and ${rest.length - 2000} more, which the CSV file has`;
  if (rest.length === 0) body.insertRow().insertCell().textContent = 'none';
}

function drawAll() {
  const points = shownPoints();
  drawScatter(points);
  drawParallel(points);
  drawLimits();
  drawLayers();
  drawMemories();
  drawTable(points);
}

document.title = `${data.name} - VTA sweep`;
byId('title').textContent = data.name;
byId('summary').textContent = `${data.points.length} points, ${feasible.length} of them feasible, ${data.front.length} on the Pareto front of ` +
  `${data.objectives.map((o) => (o.maximise ? `-${o.text}` : o.text)).join(', ')}. Schedules: ${data.manifest.schedules}.`;
byId('manifest').textContent = JSON.stringify({...data.manifest, sweep: undefined}, null, 1) + '\n\n' + data.manifest.sweep;
byId('footer').textContent = `vta-sweep ${data.manifest.tool}`;
const pictured = names.filter((name) => !name.startsWith('fits.'));
fillSelect('axis-x', pictured, objectives[0]);
fillSelect('axis-y', pictured, objectives[1] ?? 'lut');
fillSelect('axis-colour', pictured, objectives[2] ?? 'utilisation');
fillSelect('filter-name', pictured, 'lut');
fillSelect('filter-fits', ['any', ...names.filter((name) => name.startsWith('fits.')).map((name) => name.slice(5))], 'any');
fillSelect('layers-model', Object.keys(data.manifest.models), '');
byId('filter-most').addEventListener('input', drawAll);
byId('filter-front').addEventListener('change', drawAll);
drawExcluded();
if (feasible.length > 0) drawAll();
