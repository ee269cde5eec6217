// All points at once: a line for each, an axis for each value. Ranges that are marked on axes filter the page.
'use strict';

const MOST_AXES = 14;

function parallelAxes() {
  const wanted = [...data.axes, ...objectives, 'latency_ms', 'agreement_percent', 'utilisation', 'energy_mj', 'lut', 'dsp', 'bram36'];
  return [...new Set(wanted)].filter((name) => varying.includes(name)).slice(0, MOST_AXES);
}

function drawParallel(points) {
  marked_points = null;
  const axes = parallelAxes();
  const room = Math.max(40, (byId('parallel').clientWidth - 140) / Math.max(1, axes.length - 1) - 8);
  const chart = draw('parallel', points.length, {
    parallelAxis: axes.map((name, dim) => ({dim, name: nameForPeople(name), scale: true, realtime: false,
      nameTextStyle: {fontSize: 11, color: styleOf('text'), width: room, overflow: 'break', lineHeight: 13},
      axisLine: {lineStyle: {color: styleOf('soft')}}, axisLabel: {color: styleOf('soft')}})),
    parallel: {left: 60, right: 80, top: 70, bottom: 30},
    series: [{
      type: 'parallel', inactiveOpacity: 0.03, activeOpacity: 0.7, lineStyle: {width: 1, color: OTHER_COLOUR},
      data: points.map((point) => ({value: axes.map((name) => point.values[name]),
        lineStyle: isOnFront(point) ? {color: FRONT_COLOUR, width: 2} : {}})),
    }],
  });
  const ranges = new Map();
  chart.on('axisareaselected', ({parallelAxisId, intervals}) => {
    ranges.set(parallelAxisId, intervals);
    // ECharts tells which lines are inside the ranges only by their places in the series.
    const is_marked = [...ranges.values()].some((list) => list.length > 0);
    marked_points = is_marked ? new Set(chart.getModel().getSeriesByIndex(0).getRawIndicesByActiveState('active')
      .map((i) => points[i].number)) : null;
    drawShown();
  });
}
