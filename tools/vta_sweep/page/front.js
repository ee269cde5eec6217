// The points over two values each, with the Pareto front.
'use strict';

const FRONT_COLOUR = '#a40000';
const OTHER_COLOUR = '#2f6fb5';

const colourScale = (title, values, index) => ({
  dimension: 2, min: Math.min(...values), max: Math.max(...values), right: 0, top: 'middle', text: [title, ''],
  textStyle: {color: styleOf('soft')}, inRange: {color: [OTHER_COLOUR, '#d18f00', FRONT_COLOUR]}, seriesIndex: index,
});

const chosenStyle = (point) => (chosen.has(point.number) ? {borderColor: styleOf('text'), borderWidth: 3} : {});

function chooseOnClick(chart) {
  chart.on('click', ({data: item}) => {
    if (item?.point) choose(item.point);
  });
}

const scaleOf = (name, log, points) =>
  (log && points.every((point) => point.values[name] > 0) ? {type: 'log'} : {type: 'value', scale: true});

function drawScatter(points) {
  const [x, y, colour] = ['axis-x', 'axis-y', 'axis-colour'].map((id) => byId(id).value);
  const log = byId('axis-log').checked;
  const item = (point) => ({
    value: [point.values[x], point.values[y], point.values[colour]], point,
    symbolSize: isOnFront(point) ? 14 : 7, itemStyle: chosenStyle(point),
  });
  // With two objectives the front is a line; with more it has no order.
  const is_front = objectives.length === 2 && x === objectives[0] && y === objectives[1];
  const line = is_front ? points.filter(isOnFront).sort((a, b) => a.values[x] - b.values[x]) : [];
  chooseOnClick(draw('scatter', points.length, {
    tooltip: {formatter: (params) => (params.data.point ? tipOf(params.data.point) : '')},
    grid: {left: 90, right: 130, top: 30, bottom: 50},
    xAxis: {name: nameForPeople(x), nameLocation: 'middle', nameGap: 30, ...scaleOf(x, log, points)},
    yAxis: {name: nameForPeople(y), nameTextStyle: {align: 'left'}, ...scaleOf(y, log, points)},
    visualMap: colourScale(nameForPeople(colour), points.map((point) => point.values[colour]), 0),
    series: [{type: 'scatter', data: points.map(item)},
      {type: 'line', data: line.map((point) => [point.values[x], point.values[y]]), symbol: 'none', step: 'end',
        lineStyle: {color: styleOf('soft'), width: 1}, silent: true}],
  }));
}

// One picture for each pair of objectives: what is good in one pair need not be good in another.
function drawPairs(points) {
  byId('pairs-section').hidden = objectives.length < 3;
  if (objectives.length < 3) return;
  const three = objectives.slice(0, 3);
  const pairs = [[0, 1, 2], [0, 2, 1], [1, 2, 0]];
  byId('pairs-note').textContent = 'Large points are on the front of all objectives. Colours show the third objective. Points of ' +
    'the front that look beaten in one picture are better in the objective that this picture has not on its axes.';
  const value = (point, i) => objectiveOf(point, i);
  const values = (i) => points.map((point) => value(point, i));
  const third = byId('pairs').clientWidth / 3;
  chooseOnClick(draw('pairs', 3 * points.length, {
    tooltip: {formatter: (params) => tipOf(params.data.point)},
    grid: pairs.map((_, i) => ({left: third * i + 65, width: third - 80, top: 40, bottom: 50})),
    xAxis: pairs.map(([x], i) => ({gridIndex: i, name: nameForPeople(three[x]), nameLocation: 'middle', nameGap: 30, scale: true,
      axisLabel: {hideOverlap: true}})),
    yAxis: pairs.map(([, y], i) => ({gridIndex: i, name: nameForPeople(three[y]), scale: true,
      nameTextStyle: {align: 'left', padding: [0, 0, 0, -40]}, axisLabel: {hideOverlap: true}})),
    visualMap: pairs.map(([, , z], i) => ({...colourScale('', values(z), i), show: false})),
    series: pairs.map(([x, y, z], i) => ({
      type: 'scatter', xAxisIndex: i, yAxisIndex: i,
      data: points.map((point) => ({value: [value(point, x), value(point, y), value(point, z)], point,
        symbolSize: isOnFront(point) ? 12 : 5, itemStyle: {opacity: isOnFront(point) ? 1 : 0.45, ...chosenStyle(point)}})),
    })),
  }));
}

function makeAxes() {
  const redraw = () => drawScatter(shownPoints());
  fillSelect('axis-x', pictured, objectives[0], redraw, nameForPeople);
  fillSelect('axis-y', pictured, objectives[1] ?? 'lut', redraw, nameForPeople);
  fillSelect('axis-colour', pictured, objectives[2] ?? 'utilisation', redraw, nameForPeople);
  byId('axis-log').addEventListener('change', redraw);
}
