// Tensors in memory, and how full the scratchpads are.
'use strict';

// Neighbours differ; the colours mean nothing more.
const TENSOR_COLOURS = ['#2f6fb5', '#5b8fc9', '#8fb3dc'];
// Names have room below so many bars.
const MOST_NAMED_BARS = 40;

function drawArea({area, bytes: size, tensors}) {
  const {steps} = report;
  // Round sizes are powers of two.
  const interval = 2 ** Math.max(0, Math.ceil(Math.log2(size / 6)));
  byId('dram-note').textContent =
    `${tensors.length} tensors in ${bytes(size)}; each from the first step to the last one that uses it.`;
  draw('dram', tensors.length, {
    grid: {left: 90, right: 30, top: 10, bottom: 50},
    tooltip: {
      formatter({value}) {
        const tensor = tensors[value[4]];
        return `<b>${escaped(tensor.name)}</b> ${escaped(tensor.type)}<br>${bytes(tensor.bytes)} at offset ` +
          `0x${tensor.offset.toString(16)}<br>steps ${tensor.first} (${escaped(steps[tensor.first])}) to ` +
          `${tensor.last} (${escaped(steps[tensor.last])})`;
      },
    },
    xAxis: {
      type: 'value', min: 0, max: steps.length, minInterval: 1, name: 'step of the plan', nameLocation: 'middle',
      nameGap: 28,
    },
    yAxis: {type: 'value', min: 0, max: Math.ceil(size / interval) * interval, interval, name: `offset in ${area}`, nameLocation: 'middle', nameGap: 70,
      axisLabel: {formatter: bytes}},
    dataZoom: [zoomInside('x')],
    series: [{
      type: 'custom',
      encode: {x: [0, 1], y: [2, 3]},
      data: tensors.map((tensor, i) => [tensor.first, tensor.last + 1, tensor.offset, tensor.offset + tensor.bytes, i]),
      renderItem(params, api) {
        const from = api.coord([api.value(0), api.value(2)]);
        const to = api.coord([api.value(1), api.value(3)]);
        return rectangle(params, from, to, {fill: TENSOR_COLOURS[api.value(4) % TENSOR_COLOURS.length], stroke: styleOf('page'), lineWidth: 0.5});
      },
    }],
  });
}

function drawDram() {
  const choice = byId('dram-area');
  choice.replaceChildren(...report.dram.map(({area}, i) => element('option', area, {value: i})));
  choice.onchange = () => drawArea(report.dram[choice.value]);
  if (report.dram.length > 0) drawArea(report.dram[0]);
}

function drawSram() {
  const {sram, table: {rows: layers}} = report;
  const kinds = [['wgt', 'weights'], ['inp', 'inputs'], ['acc', 'accumulators'], ['uop', 'micro-ops']];
  const is_long = sram.length > MOST_NAMED_BARS;
  const names = shortNames(layers.map((layer) => layer.name), 22);
  draw('sram', kinds.length * sram.length, {
    color: COLOURS,
    grid: {left: 60, right: 30, top: 40, bottom: (is_long ? 80 : 40) + 4 * Math.max(...[...names.values()].map((name) => name.length))},
    legend: {},
    tooltip: {
      trigger: 'axis',
      formatter: (points) => `<b>${escaped(layers[sram[points[0].dataIndex].layer].name)}</b><br>` +
        points.map((point) => `${point.seriesName}: ${point.value.toFixed(1)} %`).join('<br>'),
    },
    xAxis: {type: 'category', data: sram.map(({layer}) => names.get(layers[layer].name)),
      axisLabel: {rotate: 40, interval: is_long ? 'auto' : 0, fontSize: 11}},
    yAxis: {type: 'value', min: 0, max: 100, axisLabel: {formatter: '{value} %'}},
    dataZoom: is_long ? zoomed('x') : [],
    series: kinds.map(([key, name]) => ({type: 'bar', name, data: sram.map((row) => row[key])})),
  });
}
