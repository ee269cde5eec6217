// Layers under the two roofs of the accelerator.
'use strict';

function rooflineNote() {
  const {points, macs_per_cycle: peak, bytes_per_cycle: bus} = report.roofline;
  const left_out = report.table.rows.filter(isOnVta).length - points.length;
  byId('roofline-note').textContent =
    `Two roofs limit a layer: the array with ${count(peak)} MACs per cycle, and the bus with ${bus} bytes per cycle in ` +
    'each direction. Intensity counts the bytes of the busier direction.' +
    (left_out > 0 ? ` ${left_out} layers on the VTA have no MACs and no point.` : '');
}

function drawRoofline() {
  const {points, macs_per_cycle: peak, bytes_per_cycle: bus} = report.roofline;
  const layers = report.table.rows;
  rooflineNote();
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
  const roof = (name, ends, color) => ({
    type: 'line', name, data: ends, symbol: 'none', lineStyle: {width: 2, color}, itemStyle: {color}, tooltip: {show: false},
  });
  const [array_name, bus_name] = [`array: ${peak} MACs/cycle`, `bus: ${bus} bytes/cycle`];
  const chart = draw('roofline', points.length, {
    grid: {left: 70, right: 30, top: 40, bottom: 50},
    legend: {data: [array_name, bus_name]},
    tooltip: {
      formatter: ({value}) => `<b>${escaped(layers[value[2]].name)}</b><br>${value[0].toPrecision(4)} MACs/byte, ` +
        `${value[1].toPrecision(4)} MACs/cycle<br>${layers[value[2]].roofline.toFixed(1)} % of the roofline`,
    },
    xAxis: {...axis('operational intensity, MACs per byte', [least, most]), nameGap: 28},
    yAxis: {...axis('MACs per cycle', [lowest, 1.2 * peak]), nameGap: 45},
    series: [
      roof(array_name, [[ridge, peak], [decade(most, Math.ceil), peak]], styleOf('text')),
      roof(bus_name, [[lowest / bus, lowest], [ridge, peak]], '#c06a1c'),
      {
        type: 'scatter',
        symbolSize: 11,
        data: points.map(({layer, intensity, rate}) => ({
          value: [intensity, rate, layer],
          itemStyle: {color: colourOf(layer), borderColor: styleOf('page'), borderWidth: 1},
        })),
      },
    ],
  });
  chart.on('mouseover', ({value}) => value.length === 3 && hover(value[2]));
  chart.on('mouseout', () => hover(null));
  chart.on('click', ({value}) => value.length === 3 && select(value[2]));
}
