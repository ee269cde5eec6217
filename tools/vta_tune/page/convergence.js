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

// From the best to the worst seed. Values hold up to the next place, so the edges are steps, as the lines are.
function band(searcher, rows, colour) {
  const steps = (column) => rows.flatMap((row, i) => (i === 0 ? [] : [[row[0], rows[i - 1][column]]]).concat([[row[0], row[column]]]));
  const outline = [...steps(1), ...steps(3).reverse()];
  return {
    type: 'custom', name: searcher, silent: true, z: 1, clip: true, tooltip: {show: false}, itemStyle: {color: colour},
    encode: {x: 0, y: [1, 2]}, data: rows.map((row) => [row[0], row[1], row[3]]),
    renderItem(params, api) {
      if (params.dataIndex > 0) return null;  // one shape for all
      return {type: 'polygon', shape: {points: outline.map((place) => api.coord(place))}, style: {fill: colour, opacity: 0.15}};
    },
  };
}

function curves(id, task, xOf, name) {
  const scale = Math.min(...task.searches.flatMap((search) => search.best));
  const series = [];
  searchersOf(task).forEach((searcher, number) => {
    const rows = spread(task.searches.filter((search) => search.searcher === searcher), xOf, scale);
    const colour = colourOfNumber(number);
    series.push(band(searcher, rows, colour));
    series.push({type: 'line', step: 'end', symbol: 'none', itemStyle: {color: colour}, z: 3, name: searcher,
      lineStyle: {color: colour, width: 2}, data: rows.map((row) => [row[0], row[2]])});
  });
  draw(id, 1000, {
    legend: {data: searchersOf(task), top: 0},
    tooltip: {trigger: 'axis', order: 'valueAsc', formatter: (points) => tipOfCurves(points, name)},
    grid: {left: 60, right: 20, top: 60, bottom: 45},
    xAxis: {type: 'value', name, nameLocation: 'middle', nameGap: 28, max: 'dataMax', axisLabel: {showMaxLabel: false, hideOverlap: true}},
    yAxis: {type: 'value', name: 'multiple of the best', nameTextStyle: {align: 'left'}, min: 1, scale: true,
      axisLabel: {formatter: (value) => Number(value.toFixed(4)).toString()}},
    series,
  });
}

function tipOfCurves(points, name) {
  const lines = points.filter(({seriesType}) => seriesType === 'line');
  if (lines.length === 0) return '';
  return [`${Number(lines[0].value[0].toPrecision(4))} ${name}`,
    ...lines.map(({seriesName, value}) => `${escaped(seriesName)}: ${value[1].toFixed(3)}`)].join('<br>');
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
