// What the cost model predicts, and what it looks at.
'use strict';

function drawPredictions() {
  const points = data.tasks.flatMap((task) => task.predictions.map(([predicted, measured]) => [measured, predicted, task.name]));
  byId('predictions').hidden = points.length === 0;
  if (points.length === 0) return;
  const all = points.flatMap(([measured, predicted]) => [measured, predicted]);
  const ends = [roundDown(Math.min(...all)), roundUp(Math.max(...all))];
  draw('predictions', points.length, {
    tooltip: {formatter: (shown) => escaped(`${shown.value[2]}: measured ${count(shown.value[0])}, predicted ${count(shown.value[1])}`)},
    grid: {left: 90, right: 30, top: 40, bottom: 45},
    xAxis: {type: 'log', name: `measured ${data.unit}`, nameLocation: 'middle', nameGap: 28, min: ends[0], max: ends[1],
      axisLabel: {formatter: count}},
    yAxis: {type: 'log', name: `predicted ${data.unit}`, nameTextStyle: {align: 'left'}, min: ends[0], max: ends[1],
      axisLabel: {formatter: count}},
    series: [
      {type: 'scatter', symbolSize: 5, data: points, itemStyle: {color: colourOfNumber(0), opacity: 0.5}},
      {type: 'line', data: [[ends[0], ends[0]], [ends[1], ends[1]]], showSymbol: false, lineStyle: {color: styleOf('soft')}},
    ],
  });
}

function drawImportance() {
  const shares = data.importance.slice(0, 20).reverse();
  byId('importance').hidden = shares.length === 0;
  if (shares.length === 0) return;
  draw('importance', shares.length, {
    tooltip: {},
    grid: {left: 220, right: 40, top: 10, bottom: 45},
    xAxis: {type: 'value', name: 'share of all gains (%)', nameLocation: 'middle', nameGap: 28},
    yAxis: {type: 'category', data: shares.map(([name]) => name)},
    series: [{type: 'bar', data: shares.map(([, share]) => 100 * share), itemStyle: {color: colourOfNumber(0)}}],
  });
}
