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
const zoomInside = (axis, index = 0) =>
  ({type: 'inside', [`${axis}AxisIndex`]: index, filterMode: 'weakFilter', zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: false});
// The same with a slider, whose bar is the part that is in view.
const zoomed = (axis, index = 0) => [zoomInside(axis, index), {
  type: 'slider', [`${axis}AxisIndex`]: index, filterMode: 'weakFilter', showDataShadow: false, showDetail: false, height: 18,
  backgroundColor: styleOf('panel'), fillerColor: styleOf('mark'), borderColor: styleOf('line'), brushSelect: false,
}];

// The next of 1, 2, 5, 10, 20, 50, ... below or above a positive value: ends of logarithmic axes.
function roundDown(value) {
  const decade = 10 ** Math.floor(Math.log10(value));
  return [5, 2, 1].map((step) => step * decade).find((step) => step <= value) ?? decade;
}
function roundUp(value) {
  const decade = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * decade).find((step) => step >= value) ?? 10 * decade;
}

// What the reader chose on this page, if the browser keeps it; else the browser's theme.
const THEME_KEY = 'vta-theme';
function chosenTheme() {
  try {
    return localStorage.getItem(THEME_KEY);
  } catch {
    return null;  // pages from files may have no memory
  }
}
let theme = chosenTheme();
function applyTheme() {
  const is_dark = theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.dataset.theme = is_dark ? 'dark' : 'light';
  return is_dark;
}
function makeThemeSwitch(redraw) {
  const button = element('button', undefined, {id: 'theme', type: 'button', className: 'screen'});
  const show = () => {
    button.textContent = applyTheme() ? 'Light theme' : 'Dark theme';
  };
  button.addEventListener('click', () => {
    theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    try {
      localStorage.setItem(THEME_KEY, theme);
    } catch {
      // It holds until the page is closed.
    }
    show();
    redraw();
  });
  show();
  document.body.prepend(button);
  return show;
}

// The data inside the page. `isWhole` says whether the parts are there that scripts read before they draw.
function readPageData(isWhole) {
  try {
    const data = JSON.parse(byId('data').textContent);
    if (isWhole(data)) return data;
    throw new Error('parts are missing');
  } catch (error) {
    showProblem(`The data inside this page are damaged (${error.message}): write the page again.`);
    throw error;
  }
}
// The first problem is the cause of those behind it.
function showProblem(text) {
  byId('problem').textContent ||= text;
}
// Also what goes wrong before anything is drawn leaves a word on the page.
addEventListener('error', (event) => {
  if (event.error) showProblem(`This page could not be drawn: ${event.error.message}. Its data may be damaged.`);
});

// Draws the page: `begin` once, then `drawAll`, which is called again where all charts have to be drawn anew.
function startPage(begin, drawAll) {
  const showTheme = makeThemeSwitch(drawAll);
  try {
    begin();
    drawAll();
  } catch (error) {
    showProblem(`This page could not be drawn: ${error.message}. Its data may be damaged.`);
    throw error;
  }
  // Labels have room or not by the width, so that a resized page is drawn anew.
  let resized;
  window.addEventListener('resize', () => {
    clearTimeout(resized);
    resized = setTimeout(drawAll, 200);
  });
  // Charts hold colours of their own, so another scheme draws everything anew; paper is always light.
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    showTheme();
    drawAll();
  });
  matchMedia('print').addEventListener('change', drawAll);
}
