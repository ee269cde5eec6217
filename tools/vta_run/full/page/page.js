// Draws the report from the JSON in #data. Text from the model reaches the page only as text.
'use strict';

// SVG is sharper and can be searched; for many shapes a canvas is quicker.
const SVG_SHAPES = 8000;
// More arrows than that are a curtain.
const MAX_ARROWS = 400;
const TOKEN_COLOURS = ['#1d2430', '#8a1c7c', '#a35200', '#00666b'];
const BUS_USERS = ['read: fetch', 'read: load', 'read: compute', 'write: store'];
const BUS_COLOURS = ['#8791a3', '#2f6fb5', '#d18f00', '#3f8f4f'];

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId('data').textContent);
const layers = data.table.rows;
const escaped = (text) => echarts.format.encodeHTML(String(text));

// Neighbours get colours far apart.
const colourOf = (number) => `hsl(${(number * 137.508) % 360}, 62%, ${number % 2 ? 42 : 56}%)`;

const count = (value) => Math.round(value).toLocaleString('en');
function bytes(value) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    ++unit;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
const FORMATS = {
  text: (value) => value,
  count,
  bytes,
  seconds: (value) => (value < 1 ? `${(1e3 * value).toPrecision(3)} ms` : `${value.toPrecision(3)} s`),
  energy(value) {
    const units = ['pJ', 'nJ', 'µJ', 'mJ', 'J'];
    let unit = 0;
    for (; value >= 1000 && unit < units.length - 1; ++unit) value /= 1000;
    return `${value.toPrecision(3)} ${units[unit]}`;
  },
  percent: (value) => `${value.toFixed(0)} %`,
};

function element(tag, text, properties) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  return Object.assign(made, properties);
}

const charts = [];
function draw(id, shapes, option) {
  const place = byId(id);
  const chart = echarts.getInstanceByDom(place) ||
    echarts.init(place, null, {renderer: shapes <= SVG_SHAPES ? 'svg' : 'canvas'});
  if (!charts.includes(chart)) charts.push(chart);
  chart.setOption({animation: false, ...option}, true);
}

function drawHead() {
  document.title = `${data.model} - VTA report`;
  byId('title').textContent = `${data.model} on ${data.device}`;
  byId('subtitle').textContent = `${data.hw}; input: ${data.input}`;
  byId('footer').textContent = `vta-run ${data.version}. Charts: Apache ECharts ${echarts.version}, Apache License 2.0.`;
  for (const {title, value} of data.headline) {
    const entry = element('div');
    entry.append(element('dt', title), element('dd', value));
    byId('headline').append(entry);
  }
}

// A rectangle from (left, bottom) to (right, top) in the axes' units, cut to the plot.
function rectangle(params, from, to, style) {
  const shape = echarts.graphic.clipRectByRect({
    x: Math.min(from[0], to[0]),
    y: Math.min(from[1], to[1]),
    width: Math.max(Math.abs(to[0] - from[0]), 0.5),
    height: Math.max(Math.abs(to[1] - from[1]), 0.5),
  }, params.coordSys);
  return shape && {type: 'rect', shape, style};
}

const zoomed = (axis) => [
  {type: 'inside', [`${axis}AxisIndex`]: 0, filterMode: 'weakFilter'},
  {type: 'slider', [`${axis}AxisIndex`]: 0, filterMode: 'weakFilter', showDataShadow: false},
];

function timelineTip(bar) {
  const [, begin, end, layer, first, instructions, text] = bar;
  const what = instructions === 1 ? `instruction ${first}: ${escaped(data.timeline.texts[text])}` :
    `${count(instructions)} instructions from ${first} on`;
  return `<b>${escaped(layers[layer].name)}</b><br>${what}<br>` +
    `cycles ${count(begin)} to ${count(end)}: ${count(end - begin)}`;
}

// Tokens that pass while cycles from..to are in view, or null where they would hide the rest.
function visibleTokens(from, to) {
  const visible = data.timeline.tokens.all.filter(([, pushed, , popped]) => popped >= from && pushed <= to);
  return visible.length <= MAX_ARROWS ? visible : null;
}

function tokenTip([, pushed, , popped, name]) {
  return `token from ${escaped(data.timeline.tokens.names[name])}<br>pushed in cycle ${count(pushed)}, popped in ` +
    `${count(popped)}: ${count(popped - pushed)} later`;
}

// An arrow from the end of one instruction to the beginning of another.
function arrow(params, api) {
  const from = api.coord([api.value(1) + 1, api.value(0)]);
  const to = api.coord([api.value(3), api.value(2)]);
  const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
  const wing = (side) => [to[0] - 7 * Math.cos(angle + side), to[1] - 7 * Math.sin(angle + side)];
  const style = {stroke: TOKEN_COLOURS[api.value(4)], fill: TOKEN_COLOURS[api.value(4)], lineWidth: 1.2};
  return {
    type: 'group',
    children: [
      {type: 'line', shape: {x1: from[0], y1: from[1], x2: to[0], y2: to[1]}, style},
      {type: 'polygon', shape: {points: [to, wing(0.4), wing(-0.4)]}, style},
    ],
  };
}

function timelineNote(arrows) {
  const {bars, tokens, instructions, joined_cycles: joined} = data.timeline;
  byId('timeline-note').textContent =
    `${count(instructions)} instructions, from start to retirement, coloured by layer (as in the table); each layer is a ` +
    'launch of its own. Units with several instructions in flight have several lanes. ' +
    (joined === 0 ? 'Every instruction is drawn.' :
      `Thinned: drawn as ${count(bars.length)} bars; neighbours in a lane and layer that together span at most ` +
      `${count(joined)} cycles are one bar.`) + ' The wheel zooms, dragging moves.';
  const missing = tokens.count - tokens.all.length;
  byId('timeline-tokens').textContent = `Tokens: ${count(tokens.count)}. ` +
    (arrows === null ? `Zoom in: arrows are drawn where at most ${MAX_ARROWS} of them are in view.` :
      `${count(arrows.length)} in view, as arrows from the push to the pop.`) +
    (missing > 0 ? ` The last ${count(missing)} are left out.` : '');
}

// A rectangle for each requester and window, [begin, end, bottom, top]; reads are stacked above the axis, writes below it:
// they have a channel of their own.
function busSeries() {
  const {bus, cycles} = data.timeline;
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
  return BUS_USERS.map((name, user) => ({
    id: name, name, type: 'custom', xAxisIndex: 1, yAxisIndex: 1, encode: {x: [0, 1], y: [2, 3]}, progressive: 0,
    itemStyle: {color: BUS_COLOURS[user]},
    data: boxes[user],
    renderItem(params, api) {
      const from = api.coord([api.value(0), api.value(2)]);
      const to = api.coord([api.value(1), api.value(3)]);
      return rectangle(params, from, to, {fill: BUS_COLOURS[user]});
    },
  }));
}

function busTip(name, [begin, end, bottom, top]) {
  return `${escaped(name)}<br>cycles ${count(begin)} to ${count(end)}: ${(top - bottom).toFixed(1)} % of the beats`;
}

function drawTimeline() {
  const {bars, rows, cycles} = data.timeline;
  const lanes = 26 * rows.length;
  byId('timeline').style.height = `${300 + lanes}px`;
  const zoom = zoomed('x').map((part) => ({...part, xAxisIndex: [0, 1]}));
  const arrows = visibleTokens(0, cycles);
  draw('timeline', bars.length + 2 * data.timeline.bus.length, {
    grid: [{left: 140, right: 30, top: 10, height: lanes}, {left: 140, right: 30, top: lanes + 60, height: 120}],
    legend: {data: BUS_USERS, top: lanes + 32},
    tooltip: {
      formatter: ({value, seriesId, seriesName}) => seriesId === 'tokens' ? tokenTip(value) :
        seriesId === 'bars' ? timelineTip(value) : busTip(seriesName, value),
    },
    xAxis: [
      {type: 'value', gridIndex: 0, min: 0, max: cycles, axisLabel: {show: false}},
      {type: 'value', gridIndex: 1, min: 0, max: cycles, name: 'cycles', nameLocation: 'middle', nameGap: 28},
    ],
    yAxis: [
      {type: 'category', gridIndex: 0, data: rows, inverse: true},
      {type: 'value', gridIndex: 1, min: -100, max: 100, interval: 50, name: 'bus', nameLocation: 'middle', nameGap: 60,
        axisLabel: {formatter: (value) => `${Math.abs(value)} %`}},
    ],
    dataZoom: zoom,
    series: [{
      id: 'bars',
      type: 'custom',
      encode: {x: [1, 2], y: 0},
      progressive: 0,  // all at once: what is not drawn yet looks like idle units
      data: bars,
      renderItem(params, api) {
        const half = 0.38 * api.size([0, 1])[1];
        const [left, middle] = api.coord([api.value(1), api.value(0)]);
        const [right] = api.coord([api.value(2), api.value(0)]);
        return rectangle(params, [left, middle - half], [right, middle + half], {fill: colourOf(api.value(3))});
      },
    }, {
      id: 'tokens', type: 'custom', encode: {x: [1, 3], y: [0, 2]}, clip: true, z: 3, progressive: 0,
      data: arrows || [], renderItem: arrow,
    }, ...busSeries()],
  });
  timelineNote(arrows);
  const chart = echarts.getInstanceByDom(byId('timeline'));
  chart.on('datazoom', () => {
    const [{startValue, endValue}] = chart.getOption().dataZoom;
    const seen = visibleTokens(startValue, endValue);
    chart.setOption({series: [{id: 'tokens', data: seen || []}]});
    timelineNote(seen);
  });
}

function drawRoofline() {
  const {points, macs_per_cycle: peak, bytes_per_cycle: bus} = data.roofline;
  const left_out = layers.filter((layer) => layer.where === 'vta').length - points.length;
  byId('roofline-note').textContent =
    `Roofs: the array with ${count(peak)} MACs per cycle, the bus with ${bus} bytes per cycle in each direction. Intensity ` +
    'counts the bytes of the busier direction.' +
    (left_out > 0 ? ` ${left_out} layers on the VTA have no MACs and so no point.` : '');
  const ridge = peak / bus;
  const intensities = points.map((point) => point.intensity).concat(ridge);
  const least = Math.min(...intensities) / 2;
  const most = Math.max(...intensities) * 2;
  const lowest = Math.min(...points.map((point) => point.rate), least * bus);
  const decade = (value, round) => 10 ** round(Math.log10(value));
  const axis = (name, values) => ({
    type: 'log', name, nameLocation: 'middle', min: decade(values[0], Math.floor), max: decade(values[1], Math.ceil),
    minorSplitLine: {show: true},
  });
  const roof = (name, ends, colour) => ({
    type: 'line', name, data: ends, symbol: 'none', lineStyle: {width: 2, color: colour}, itemStyle: {color: colour},
    tooltip: {show: false},
  });
  draw('roofline', points.length, {
    grid: {left: 70, right: 30, top: 40, bottom: 50},
    legend: {data: [`array: ${peak} MACs/cycle`, `bus: ${bus} bytes/cycle`]},
    tooltip: {
      formatter({value}) {
        const layer = layers[value[2]];
        return `<b>${escaped(layer.name)}</b><br>${value[0].toPrecision(4)} MACs/byte, ` +
          `${value[1].toPrecision(4)} MACs/cycle<br>${layer.roofline.toFixed(1)} % of the roofline`;
      },
    },
    xAxis: {...axis('operational intensity, MACs per byte', [least, most]), nameGap: 28},
    yAxis: {...axis('MACs per cycle', [lowest, 1.2 * peak]), nameGap: 45},
    series: [
      roof(`array: ${peak} MACs/cycle`, [[ridge, peak], [decade(most, Math.ceil), peak]], '#1d2430'),
      roof(`bus: ${bus} bytes/cycle`, [[lowest / bus, lowest], [ridge, peak]], '#a35200'),
      {
        type: 'scatter',
        symbolSize: 11,
        data: points.map(({layer, intensity, rate}) => ({
          value: [intensity, rate, layer],
          itemStyle: {color: colourOf(layer), borderColor: '#fff', borderWidth: 1},
        })),
      },
    ],
  });
}

function tableCell(column, value) {
  const cell = element('td', value === undefined || value === null ? '' : FORMATS[column.format](value));
  if (column.format !== 'text') {
    cell.className = 'number';
    cell.dataset.value = value ?? '';
  }
  return cell;
}

// A sort function for rows: numbers by size, text by the alphabet, nothing last.
function byColumn({key, format}, direction) {
  return ([a], [b]) => {
    const [x, y] = [layers[a][key], layers[b][key]];
    if (x == null || y == null) return (x == null) - (y == null);
    return direction * (format === 'text' ? x.localeCompare(y) : x - y) || a - b;
  };
}

function drawTable() {
  const {columns, total} = data.table;
  byId('energy-note').textContent = `energy: ${data.table.energy_note}. Sources: ${data.table.energy_sources.join('; ')}.`;
  const head = element('tr');
  const body = element('tbody');
  const rows = layers.map((layer, number) => {
    const row = element('tr');
    row.append(...columns.map((column) => tableCell(column, layer[column.key])));
    const swatch = element('span', undefined, {className: 'swatch'});
    swatch.style.background = colourOf(number);
    row.firstChild.prepend(swatch);
    return [number, row];
  });
  for (const column of columns) {
    const title = element('th', undefined, {className: column.format === 'text' ? '' : 'number', scope: 'col'});
    const button = element('button', column.title, {type: 'button'});
    button.addEventListener('click', () => {
      const descending = title.ariaSort ? title.ariaSort === 'ascending' : column.format !== 'text';
      for (const other of head.children) other.removeAttribute('aria-sort');
      title.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
      rows.sort(byColumn(column, descending ? -1 : 1));
      body.append(...rows.map(([, row]) => row));
    });
    title.append(button);
    head.append(title);
  }
  body.append(...rows.map(([, row]) => row));
  const top = element('thead');
  const foot = element('tfoot');
  const sums = element('tr');
  sums.append(...columns.map((column) => tableCell(column, total[column.key])));
  top.append(head);
  foot.append(sums);
  byId('layers').append(top, body, foot);
}

function drawArea({area, bytes: size, tensors}) {
  byId('dram-note').textContent =
    `${tensors.length} tensors in ${bytes(size)}; each from the first to the last step that uses it.`;
  draw('dram', tensors.length, {
    grid: {left: 90, right: 70, top: 10, bottom: 90},
    tooltip: {
      formatter({value}) {
        const tensor = tensors[value[4]];
        return `<b>${escaped(tensor.name)}</b> ${escaped(tensor.type)}<br>${bytes(tensor.bytes)} at offset ` +
          `0x${tensor.offset.toString(16)}<br>steps ${tensor.first} (${escaped(data.steps[tensor.first])}) to ` +
          `${tensor.last} (${escaped(data.steps[tensor.last])})`;
      },
    },
    xAxis: {
      type: 'value', min: 0, max: data.steps.length, minInterval: 1, name: 'step of the plan', nameLocation: 'middle',
      nameGap: 28,
    },
    yAxis: {type: 'value', min: 0, max: size, name: `offset in ${area}`, nameLocation: 'middle', nameGap: 70,
      axisLabel: {formatter: bytes}},
    dataZoom: [...zoomed('x'), ...zoomed('y').slice(1)],
    series: [{
      type: 'custom',
      encode: {x: [0, 1], y: [2, 3]},
      data: tensors.map((tensor, i) => [tensor.first, tensor.last + 1, tensor.offset, tensor.offset + tensor.bytes, i]),
      renderItem(params, api) {
        const from = api.coord([api.value(0), api.value(2)]);
        const to = api.coord([api.value(1), api.value(3)]);
        return rectangle(params, from, to, {fill: colourOf(api.value(4)), stroke: '#fff', lineWidth: 0.5});
      },
    }],
  });
}

function drawDram() {
  const select = byId('dram-area');
  data.dram.forEach(({area}, i) => select.append(element('option', area, {value: i})));
  select.addEventListener('change', () => drawArea(data.dram[select.value]));
  if (data.dram.length > 0) drawArea(data.dram[0]);
}

function drawSram() {
  const bars = [['wgt', 'weights'], ['inp', 'inputs'], ['acc', 'accumulators'], ['uop', 'micro-ops']];
  draw('sram', bars.length * data.sram.length, {
    grid: {left: 60, right: 30, top: 40, bottom: 150},
    legend: {},
    tooltip: {
      trigger: 'axis',
      formatter: (points) => `<b>${escaped(layers[data.sram[points[0].dataIndex].layer].name)}</b><br>` +
        points.map((point) => `${point.seriesName}: ${point.value.toFixed(1)} %`).join('<br>'),
    },
    xAxis: {type: 'category', data: data.sram.map(({layer}) => layers[layer].name), axisLabel: {rotate: 40, width: 120, overflow: 'truncate'}},
    yAxis: {type: 'value', min: 0, max: 100, axisLabel: {formatter: '{value} %'}},
    dataZoom: zoomed('x'),
    series: bars.map(([key, name]) => ({type: 'bar', name, data: data.sram.map((row) => row[key])})),
  });
}

try {
  drawHead();
  drawTable();
  drawTimeline();
  drawRoofline();
  drawDram();
  drawSram();
} catch (error) {
  byId('problem').textContent = `This page could not be drawn: ${error.message}`;
  throw error;
}
window.addEventListener('resize', () => charts.forEach((chart) => chart.resize()));
