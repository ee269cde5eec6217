// Draws the page. Text of the model reaches it only as text.
'use strict';

const data = readPageData((found) => Array.isArray(found?.tasks));

function drawLayers() {
  const kinds = [['default_cycles', 'default'], ['best_cycles', 'tuned'], ['floor_cycles', 'bound']];
  const shown = kinds.filter(([key]) => data.tasks.some((task) => task[key] > 0));
  const names = shortNames(data.tasks.map((task) => task.name), 22);
  draw('layers', data.tasks.length * shown.length, {
    legend: {top: 0},
    tooltip: {trigger: 'axis'},
    grid: {left: 90, right: 20, top: 60, bottom: 130},
    xAxis: {type: 'category', data: data.tasks.map((task) => names.get(task.name)), axisLabel: {rotate: 45, interval: 0, fontSize: 11}},
    yAxis: {type: 'value', name: data.unit, nameTextStyle: {align: 'left'}, axisLabel: {formatter: count}},
    series: shown.map(([key, name], number) => (
      {type: 'bar', name, data: data.tasks.map((task) => task[key]), itemStyle: {color: colourOfNumber(number)}})),
  });
}

function drawTable() {
  const table = byId('tasks');
  const head = element('tr');
  const names = shortNames(data.tasks.map((task) => task.name), 32);
  const numbers = new Set(['layers', 'default', 'tuned', 'fewer', 'bound']);
  const columns = ['layer', 'machine', 'layers', 'default', 'tuned', 'fewer', 'bound'];
  for (const name of columns) {
    const unit = ['default', 'tuned', 'bound'].includes(name) ? ` (${data.unit})` : name === 'fewer' ? ' (%)' : '';
    head.append(element('th', name + unit, {scope: 'col', className: numbers.has(name) ? 'number' : ''}));
  }
  table.append(element('thead'), element('tbody'));
  table.tHead.append(head);
  for (const task of data.tasks) {
    const row = element('tr');
    const fewer = task.best_cycles > 0 && task.default_cycles > 0 ?
      (100 * (1 - task.best_cycles / task.default_cycles)).toFixed(1) : '';
    const texts = [names.get(task.name), task.machine, task.layers, count(task.default_cycles), count(task.best_cycles), fewer,
      task.floor_cycles > 0 ? count(task.floor_cycles) : 'nothing is proven'];
    texts.forEach((text, i) => row.append(element('td', text, {className: numbers.has(columns[i]) ? 'number' : '', title: i === 0 ? task.name : text})));
    table.tBodies[0].append(row);
  }
}

function gainText(before, after) {
  if (!(after < before)) return 'the search found nothing faster';
  const fewer = 100 * (1 - after / before);
  if (fewer < 20) return `${fewer < 0.05 ? 'less than 0.1' : fewer.toFixed(1)} % fewer`;
  return `${(before / after).toFixed(2)} times as fast`;
}

function drawAnswer() {
  const total = (key) => data.tasks.reduce((sum, task) => sum + task.layers * task[key], 0);
  const [before, after] = [total('default_cycles'), total('best_cycles')];
  byId('title').textContent = data.title;
  byId('subtitle').textContent = data.command;
  byId('answer').textContent =
    `All layers take ${count(before)} ${data.unit} by default and ${count(after)} with the fastest schedules that were found: ` +
    `${gainText(before, after)}.`;
}

function drawAll() {
  drawLayers();
  drawConvergence();
  drawPredictions();
  drawImportance();
}

startPage(() => {
  drawAnswer();
  drawTable();
  makeConvergence();
  makeExport('tasks', 'layers');
}, drawAll);
