// Charts in the colours of the page.
'use strict';

const styleOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// SVG is sharper and can be searched; for many shapes a canvas is quicker.
const SVG_SHAPES = 8000;
const charts = new Map();

function chartTheme() {
  const [text, soft, line] = ['text', 'soft', 'line'].map(styleOf);
  const axis = {
    axisLine: {lineStyle: {color: soft}}, axisTick: {lineStyle: {color: soft}}, axisLabel: {color: soft},
    nameTextStyle: {color: soft}, splitLine: {lineStyle: {color: line}}, minorSplitLine: {lineStyle: {color: line, opacity: 0.5}},
  };
  return {
    textStyle: {color: text}, backgroundColor: 'transparent',
    categoryAxis: axis, valueAxis: axis, logAxis: axis,
    legend: {textStyle: {color: text}, inactiveColor: soft},
    tooltip: {backgroundColor: styleOf('panel'), borderColor: line, textStyle: {color: text}},
    dataZoom: {textStyle: {color: soft}, borderColor: line},
  };
}

// ECharts keeps every turn of the wheel over a plot that can zoom, also those that it does not use.
function leaveWheelToPage(place) {
  const hide = (event) => {
    if (!event.ctrlKey) event.stopPropagation();
  };
  for (const kind of ['wheel', 'mousewheel']) place.addEventListener(kind, hide, {capture: true, passive: true});
}

// Draws in element `id`; a chart that is there is replaced, because its theme or its renderer may be another one now.
function draw(id, shapes, option) {
  const place = byId(id);
  if (charts.has(id)) {
    charts.get(id).dispose();
  } else {
    leaveWheelToPage(place);
  }
  const chart = echarts.init(place, chartTheme(), {renderer: shapes <= SVG_SHAPES ? 'svg' : 'canvas'});
  chart.setOption({animation: false, ...option});
  charts.set(id, chart);
  return chart;
}

// A rectangle from (left, bottom) to (right, top) in pixels, cut to the plot.
function rectangle(params, from, to, style) {
  const shape = echarts.graphic.clipRectByRect({
    x: Math.min(from[0], to[0]),
    y: Math.min(from[1], to[1]),
    width: Math.max(Math.abs(to[0] - from[0]), 0.5),
    height: Math.max(Math.abs(to[1] - from[1]), 0.5),
  }, params.coordSys);
  return shape && {type: 'rect', shape, style};
}

// Dragging moves; the wheel zooms with the Ctrl key only, so that it scrolls the page otherwise.
const zoomed = (axis, index = 0) => [
  {type: 'inside', [`${axis}AxisIndex`]: index, filterMode: 'weakFilter', zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: false},
  {type: 'slider', [`${axis}AxisIndex`]: index, filterMode: 'weakFilter', showDataShadow: false},
];

// Draws the page: `begin` once, then `drawAll`, which is called again where all charts have to be drawn anew.
function startPage(begin, drawAll) {
  try {
    begin();
    drawAll();
  } catch (error) {
    byId('problem').textContent = `This page could not be drawn: ${error.message}`;
    throw error;
  }
  window.addEventListener('resize', () => charts.forEach((chart) => chart.resize()));
  // Charts hold colours of their own, so another scheme draws everything anew; paper is always light.
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
  matchMedia('print').addEventListener('change', drawAll);
}
