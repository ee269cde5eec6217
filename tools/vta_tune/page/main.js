// Draws the page. Text of the model reaches it only as text.
'use strict';

const data = JSON.parse(byId('data').textContent);

function drawLayers() {
  const kinds = [['default_cycles', 'default'], ['best_cycles', 'tuned'], ['floor_cycles', 'bound']];
  const shown = kinds.filter(([key]) => data.tasks.some((task) => task[key] > 0));
  draw('layers', data.tasks.length * shown.length, {
    legend: {top: 0},
    tooltip: {trigger: 'axis'},
    grid: {left: 90, right: 20, top: 40, bottom: 110},
    xAxis: {type: 'category', data: data.tasks.map((task) => task.name), axisLabel: {rotate: 45, interval: 0, width: 120, overflow: 'truncate'}},
    yAxis: {type: 'value', name: data.unit},
    series: shown.map(([key, name], number) => (
      {type: 'bar', name, data: data.tasks.map((task) => task[key]), itemStyle: {color: colourOfNumber(number)}})),
  });
}

function drawTable() {
  const table = byId('tasks');
  const head = element('tr');
  for (const name of ['layer', 'machine', 'layers', 'default', 'tuned', 'faster', 'bound']) head.append(element('th', name));
  table.append(element('thead'), element('tbody'));
  table.tHead.append(head);
  for (const task of data.tasks) {
    const row = element('tr');
    const faster = task.best_cycles > 0 ? `${(task.default_cycles / task.best_cycles).toFixed(2)}x` : '';
    for (const text of [task.name, task.machine, task.layers, count(task.default_cycles), count(task.best_cycles), faster,
      task.floor_cycles > 0 ? count(task.floor_cycles) : 'nothing is proven']) {
      row.append(element('td', text));
    }
    table.tBodies[0].append(row);
  }
}

function drawAnswer() {
  const total = (key) => data.tasks.reduce((sum, task) => sum + task.layers * task[key], 0);
  const [before, after] = [total('default_cycles'), total('best_cycles')];
  byId('title').textContent = data.title;
  byId('subtitle').textContent = data.command;
  byId('answer').textContent =
    `All layers take ${count(before)} ${data.unit} by default and ${count(after)} tuned: ${(before / after).toFixed(2)} times as fast.`;
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
}, drawAll);
