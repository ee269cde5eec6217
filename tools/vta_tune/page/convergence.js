// Curves of searches: medians over seeds with a band from the best to the worst.
'use strict';

const searchersOf = (task) => [...new Set(task.searches.map((search) => search.searcher))];

const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];

// Values of all seeds where one of them changes, as [x, least, median, most].
function spread(searches, xOf, scale) {
  const places = [...new Set(searches.flatMap((search) => search.best.map((_, i) => xOf(search, i))))].sort((a, b) => a - b);
  const next = searches.map(() => 0);
  const rows = [];
  for (const x of places) {
    const values = [];
    searches.forEach((search, s) => {
      while (next[s] < search.best.length && xOf(search, next[s]) <= x) ++next[s];
      if (next[s] > 0) values.push(search.best[next[s] - 1] / scale);
    });
    if (values.length < searches.length) continue;
    values.sort((a, b) => a - b);
    rows.push([x, values[0], quantile(values, 0.5), values[values.length - 1]]);
  }
  return rows;
}

function curves(id, task, xOf, name) {
  const scale = Math.min(...task.searches.flatMap((search) => search.best));
  const series = [];
  searchersOf(task).forEach((searcher, number) => {
    const rows = spread(task.searches.filter((search) => search.searcher === searcher), xOf, scale);
    const colour = colourOfNumber(number);
    const line = {type: 'line', step: 'end', showSymbol: false, symbol: 'none', itemStyle: {color: colour}};
    series.push({...line, name: searcher, lineStyle: {color: colour}, data: rows.map((row) => [row[0], row[2]])});
    series.push({...line, name: `${searcher} `, stack: searcher, silent: true, lineStyle: {opacity: 0}, tooltip: {show: false},
      data: rows.map((row) => [row[0], row[1]])});
    series.push({...line, name: `${searcher} `, stack: searcher, silent: true, lineStyle: {opacity: 0}, tooltip: {show: false},
      areaStyle: {color: colour, opacity: 0.15}, data: rows.map((row) => [row[0], row[3] - row[1]])});
  });
  draw(id, 1000, {
    legend: {data: searchersOf(task), top: 0},
    tooltip: {trigger: 'item'},
    grid: {left: 60, right: 20, top: 40, bottom: 45},
    xAxis: {type: 'value', name, nameLocation: 'middle', nameGap: 28},
    yAxis: {type: 'value', name: 'multiple of the best', min: 1, scale: true},
    series,
  });
}

function drawConvergence() {
  const task = data.tasks[Number(byId('task').value)];
  if (task.searches.length === 0) return;
  curves('by-trials', task, (search, i) => i + 1, 'trials');
  curves('by-seconds', task, (search, i) => search.seconds[i], 'seconds');
}

function makeConvergence() {
  data.tasks.forEach((task, i) => byId('task').append(element('option', `${task.name} (${task.machine})`, {value: i})));
  byId('task').addEventListener('change', drawConvergence);
}
