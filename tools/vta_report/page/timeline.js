// What each unit does when: a band of layers, a row for each unit, tokens as arrows, and the use of the bus.
'use strict';

// More arrows than that are a curtain.
const MAX_ARROWS = 150;
const TOKEN_COLOURS = ['#5b6b86', '#a23a92', '#c06a1c', '#14828a'];
const BUS_USERS = ['read: fetch', 'read: load', 'read: compute', 'write: store'];
const BUS_COLOURS = ['#8791a3', '#2f6fb5', '#d18f00', '#3f8f4f'];
const ROW_PIXELS = 30;
const BAND = 'layer';

// The cycles [begin, end] in which a layer is the first that is not done, or undefined for a step of the CPU.
const cyclesOf = (layer) => report.timeline.launches.find(([number]) => number === layer)?.slice(1);

// A step of the CPU takes no cycles of the accelerator: it stands where the layer after it begins.
function cycleOfCrossing({layer}) {
  const next = report.timeline.launches.find(([number]) => number > layer);
  return next ? next[1] : report.timeline.cycles;
}

function barTip([, begin, end, from, until, layer, first, instructions, text]) {
  const what = instructions === 1 ? `instruction ${first}: ${escaped(report.timeline.texts[text])}` :
    `${count(instructions)} instructions from ${first} on`;
  const works = until > from ? `works in cycles ${count(from)} to ${count(until)}: ${count(until - from)}` : 'does no work of its own';
  return `<b>${escaped(report.table.rows[layer].name)}</b><br>${what}<br>${works}<br>` +
    `holds its unit from cycle ${count(begin)} to ${count(end)}`;
}

function bandTip([layer, begin, end]) {
  const row = report.table.rows[layer];
  return `<b>${escaped(row.name)}</b> ${escaped(row.op)}<br>cycles ${count(begin)} to ${count(end)}: ${count(end - begin)}<br>` +
    `${percent(row.roofline)} of the roofline; ${escaped(reasonOf(row))}`;
}

function tokenTip([, pushed, , popped, name]) {
  return `token from ${escaped(report.timeline.tokens.names[name])}<br>pushed in cycle ${count(pushed)}, popped in ` +
    `${count(popped)}: ${count(popped - pushed)} later`;
}

function crossingTip([, number]) {
  const {tensor, op} = report.crossings[number];
  return `<b>crossing</b><br>${escaped(tensor)} goes to the CPU and back, for ${escaped(op)}`;
}

function busTip(name, [begin, end, bottom, top]) {
  return `${escaped(name)}<br>cycles ${count(begin)} to ${count(end)}: ${(top - bottom).toFixed(1)} % of the beats`;
}

function timelineTip({value, seriesId, seriesName}) {
  const tips = {bars: barTip, band: bandTip, tokens: tokenTip, crossings: crossingTip};
  return tips[seriesId] ? tips[seriesId](value) : busTip(seriesName, value);
}

// The band on top: each layer with its name where there is room for it.
function bandSeries() {
  const names = shortNames(report.table.rows.map((row) => row.name), 30);
  return {
    id: 'band', type: 'custom', encode: {x: [1, 2]}, progressive: 0, z: 3, data: report.timeline.launches,
    renderItem(params, api) {
      const [left, middle] = api.coord([api.value(1), 0]);
      const [right] = api.coord([api.value(2), 0]);
      const box = rectangle(params, [left, middle - 12], [right, middle + 12],
        {fill: colourOf(api.value(0)), stroke: styleOf('page'), lineWidth: 1});
      if (!box || box.shape.width < 30) return box;
      return {...box, textConfig: {position: 'inside'}, textContent: {style: {
        text: names.get(report.table.rows[api.value(0)].name), fill: '#fff', stroke: '#0008', lineWidth: 2,
        width: box.shape.width - 6, overflow: 'truncate', fontSize: 12,
      }}};
    },
  };
}

// An instruction: a full bar where it works; below it a thin pale one from start to retirement, in which it also waits.
function barSeries() {
  return {
    id: 'bars', type: 'custom', encode: {x: [1, 2, 3, 4]}, z: 2,
    progressive: 0,  // all at once: what is not drawn yet looks like idle units
    data: report.timeline.bars,
    renderItem(params, api) {
      const pixel = (cycle) => api.coord([cycle, api.value(0) + 1]);
      const [left, middle] = pixel(api.value(1));
      const [right] = pixel(api.value(2));
      const fill = colourOf(api.value(5));
      const waits = rectangle(params, [left, middle + 8], [right, middle + 12], {fill, opacity: 0.45});
      const from = pixel(api.value(3))[0];
      const until = pixel(api.value(4))[0];
      const works = api.value(4) > api.value(3) && rectangle(params, [from, middle - 12], [until, middle + 7], {fill});
      return {type: 'group', children: [waits, works].filter(Boolean)};
    },
  };
}

// An arrow from the end of one instruction to the beginning of another.
function tokenArrow(params, api) {
  const from = api.coord([api.value(1) + 1, api.value(0) + 1]);
  const to = api.coord([api.value(3), api.value(2) + 1]);
  const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
  const wing = (side) => [to[0] - 7 * Math.cos(angle + side), to[1] - 7 * Math.sin(angle + side)];
  const colour = TOKEN_COLOURS[api.value(4)];
  const style = {stroke: colour, fill: colour, lineWidth: 1.2};
  return {
    type: 'group',
    children: [
      {type: 'line', shape: {x1: from[0], y1: from[1], x2: to[0], y2: to[1]}, style},
      {type: 'polygon', shape: {points: [to, wing(0.4), wing(-0.4)]}, style},
    ],
  };
}
// Tokens that pass while cycles from..to are in view, or null where they would hide the rest.
function visibleTokens(from, to) {
  const visible = report.timeline.tokens.all.filter(([, pushed, , popped]) => popped >= from && pushed <= to);
  return visible.length <= MAX_ARROWS ? visible : null;
}
const tokenSeries = (arrows) => (
  {id: 'tokens', type: 'custom', encode: {x: [1, 3]}, clip: true, z: 4, progressive: 0, data: arrows || [], renderItem: tokenArrow});

// A dashed line through all rows where a tensor goes to the CPU and back.
function crossingSeries() {
  return {
    id: 'crossings', type: 'custom', encode: {x: 0}, z: 5, data: report.crossings.map((c, i) => [cycleOfCrossing(c), i]),
    renderItem(params, api) {
      const {x, y, width, height} = params.coordSys;
      const [at] = api.coord([api.value(0), 0]);
      if (at < x || at > x + width) return null;
      return {type: 'line', shape: {x1: at, y1: y, x2: at, y2: y + height},
        style: {stroke: styleOf('warn'), lineWidth: 2, lineDash: [5, 3]}};
    },
  };
}

// The hovered layer is tinted, the selected one has a frame as well.
function focusSeries() {
  const boxes = ['hovered', 'selected'].map((kind) => [kind, cyclesOf(marked[kind])]).filter(([, cycles]) => cycles);
  return {
    id: 'focus', type: 'custom', encode: {x: [0, 1]}, silent: true, z: 1,
    data: boxes.map(([kind, [begin, end]]) => [begin, end, kind === 'selected' ? 1 : 0]),
    renderItem(params, api) {
      const {y, height} = params.coordSys;
      const [left] = api.coord([api.value(0), 0]);
      const [right] = api.coord([api.value(1), 0]);
      return rectangle(params, [left, y], [right, y + height],
        {fill: styleOf('mark'), stroke: styleOf('accent'), lineWidth: api.value(2) ? 2 : 0});
    },
  };
}

// A rectangle for each requester and window, [begin, end, bottom, top]; reads are stacked above the axis, writes below it:
// they have a channel of their own.
function busBoxes() {
  const {bus, cycles} = report.timeline;
  const boxes = BUS_USERS.map(() => []);
  bus.forEach(([begin, ...shares], window) => {
    const end = window + 1 < bus.length ? bus[window + 1][0] : cycles;
    let top = 0;
    shares.forEach((share, user) => {
      if (share === 0) return;
      if (user < 3) {
        boxes[user].push([begin, end, top, top + share]);
        top += share;
      } else {
        boxes[user].push([begin, end, -share, 0]);
      }
    });
  });
  return boxes;
}
function busSeries() {
  return busBoxes().map((boxes, user) => ({
    id: BUS_USERS[user], name: BUS_USERS[user], type: 'custom', xAxisIndex: 1, yAxisIndex: 1, encode: {x: [0, 1], y: [2, 3]},
    progressive: 0, data: boxes,
    renderItem(params, api) {
      const from = api.coord([api.value(0), api.value(2)]);
      const to = api.coord([api.value(1), api.value(3)]);
      return rectangle(params, from, to, {fill: BUS_COLOURS[user]});
    },
  }));
}

function timelineNote(arrows) {
  const {bars, tokens, instructions, joined_cycles: joined} = report.timeline;
  byId('timeline-note').textContent =
    `${count(instructions)} instructions, each in the row of the unit that executes it. Layers of one launch overlap: the band on top ` +
    `shows when each is done. ` +
    (joined === 0 ? 'Every instruction is drawn.' :
      `Thinned: drawn as ${count(bars.length)} bars; neighbours in a row and layer that together span at most ` +
      `${count(joined)} cycles are one bar.`) + ' Ctrl and the wheel zoom, dragging moves.';
  const missing = tokens.count - tokens.all.length;
  byId('timeline-tokens').textContent = `Tokens: ${count(tokens.count)}. ` +
    (arrows === null ? `Zoom in: arrows are drawn where at most ${MAX_ARROWS} of them are in view.` :
      `${count(arrows.length)} in view, as arrows from the push to the pop.`) +
    (missing > 0 ? ` The last ${count(missing)} are left out.` : '');
}

function drawLegend() {
  const entry = (colour, text, className) => {
    const made = element('span', text);
    made.prepend(swatch(colour, className));
    return made;
  };
  const works = styleOf('accent');
  byId('timeline-legend').replaceChildren(
    entry(works, 'works'), entry(works, 'thin: is in its unit, and waits where there is no bar above it', 'swatch thin'),
    ...report.timeline.tokens.names.map((name, i) => entry(TOKEN_COLOURS[i], `token: ${name}`)),
    ...BUS_USERS.map((name, i) => entry(BUS_COLOURS[i], `bus, ${name}`)),
    ...(report.crossings.length > 0 ? [entry(styleOf('warn'), 'dashed line: a crossing to the CPU and back')] : []));
}

function timelineAxes(rows, cycles) {
  const lanes = ROW_PIXELS * rows.length;
  return {
    grid: [{left: 110, right: 30, top: 46, height: lanes}, {left: 110, right: 30, top: lanes + 66, height: 110}],
    xAxis: [
      {type: 'value', gridIndex: 0, position: 'top', min: 0, max: cycles, name: 'cycles', nameLocation: 'middle', nameGap: 26,
        axisLabel: {hideOverlap: true, formatter: count}},
      {type: 'value', gridIndex: 1, min: 0, max: cycles, axisLabel: {show: false}},
    ],
    yAxis: [
      {type: 'category', gridIndex: 0, data: rows, inverse: true, splitLine: {show: true}},
      {type: 'value', gridIndex: 1, min: -100, max: 100, interval: 50, name: 'bus', nameLocation: 'middle', nameGap: 60,
        axisLabel: {formatter: (value) => `${Math.abs(value)} %`}},
    ],
    dataZoom: zoomed('x', [0, 1]),
  };
}

const layerOfPoint = ({value, seriesId}) =>
  seriesId === 'bars' ? value[5] : seriesId === 'band' ? value[0] :
    seriesId === 'crossings' ? report.crossings[value[1]].layer : null;

function drawTimeline() {
  const {bars, bus, cycles, rows} = report.timeline;
  byId('timeline').style.height = `${250 + ROW_PIXELS * (rows.length + 1)}px`;
  const arrows = visibleTokens(0, cycles);
  const chart = draw('timeline', 2 * bars.length + 2 * bus.length, {
    ...timelineAxes([BAND, ...rows], cycles),
    tooltip: {formatter: timelineTip, confine: true},
    series: [focusSeries(), barSeries(), bandSeries(), tokenSeries(arrows), crossingSeries(), ...busSeries()],
  });
  timelineNote(arrows);
  drawLegend();
  chart.on('datazoom', () => {
    const [{startValue, endValue}] = chart.getOption().dataZoom;
    const seen = visibleTokens(startValue, endValue);
    chart.setOption({series: [{id: 'tokens', data: seen || []}]});
    timelineNote(seen);
  });
  chart.on('mouseover', (point) => hover(layerOfPoint(point)));
  chart.on('mouseout', () => hover(null));
  chart.on('click', (point) => select(layerOfPoint(point)));
}

function zoomTimeline([begin, end]) {
  charts.get('timeline').dispatchAction({type: 'dataZoom', startValue: begin, endValue: end});
}
function zoomToSelected() {
  const cycles = cyclesOf(marked.selected);
  const margin = cycles && 0.02 * (cycles[1] - cycles[0]);
  if (cycles) zoomTimeline([Math.max(0, cycles[0] - margin), Math.min(report.timeline.cycles, cycles[1] + margin)]);
}

function showSelected() {
  const layer = report.table.rows[marked.selected];
  byId('timeline-layer').disabled = !layer || !cyclesOf(marked.selected);
  byId('timeline-selected').textContent = layer ?
    `${layer.name}: ${milliseconds(costOf(layer))}; ${reasonOf(layer)}` : '';
}
listeners.push((_, kind) => {
  charts.get('timeline').setOption({series: [focusSeries()]});
  if (kind !== 'selected') return;
  showSelected();
  zoomToSelected();
});
byId('timeline-whole').addEventListener('click', () => zoomTimeline([0, report.timeline.cycles]));
byId('timeline-layer').addEventListener('click', zoomToSelected);
