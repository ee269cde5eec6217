// The two pictures of an estimate: what each layer's cycles are spent on, and the roofline.
import type {Estimate, LayerWork, TimeShares, Work} from '../engine/answers';
import {draw, styleOf} from './echarts';
import {bytes, figure, percent, whole} from './format';

/** What cycles are spent on: name, colour and meaning. */
export const SHARES: {key: keyof TimeShares; name: string; colour: string; about: string}[] = [
  {key: 'array', name: 'array', colour: '#3b7dd8', about: 'multiply-accumulates of the network'},
  {key: 'lanes', name: 'lanes', colour: '#9cc3f5', about: 'multipliers without work, resets'},
  {key: 'alu', name: 'ALU', colour: '#2e9e6b', about: 'the tensor ALU and moved elements'},
  {key: 'bus', name: 'memory bus', colour: '#d9822b', about: 'waiting for a memory that delivers as fast as it can'},
  {key: 'latency', name: 'memory latency', colour: '#f0bf86', about: 'waiting for a memory that does not'},
  {key: 'control', name: 'control', colour: '#9a9fa8', about: 'waiting for instructions and for earlier results'},
];

/** The end of a long name: layers of a network begin alike. */
const ending = (name: string, most: number) => (name.length > most ? `\u2026${name.slice(1 - most)}` : name);

const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

function layerTip(layer: LayerWork): string {
  const shares = SHARES.map(({key, name}) => `${name} ${percent(layer.time[key])}`).join('<br>');
  return `<b>${escaped(layer.layer)}</b><br>${whole(layer.cycles)} cycles, bound by ${layer.limit}<br>` +
    `${whole(layer.macs)} MACs, ${bytes(layer.read_bytes + layer.write_bytes)}<br>${shares}`;
}

/** Bars of layers, each of its cycles alone, split by what they are spent on. */
export function drawLayers(estimate: Estimate) {
  const {layers} = estimate;
  const narrow = document.documentElement.clientWidth < 600;
  draw('layers', 70 + 20 * layers.length, {
    aria: {enabled: true},
    legend: {top: 0, type: 'scroll'},
    grid: {left: narrow ? 90 : 170, right: narrow ? 12 : 110, top: 34, bottom: 26},
    tooltip: {
      trigger: 'axis', axisPointer: {type: 'shadow'}, confine: true,
      formatter: (items: {dataIndex: number}[]) => {
        const layer = layers[items[0]?.dataIndex ?? -1];
        return layer ? layerTip(layer) : '';
      },
    },
    xAxis: {type: 'value', name: narrow ? '' : 'cycles', splitNumber: narrow ? 3 : 5, axisLabel: {hideOverlap: true}},
    yAxis: {
      type: 'category', inverse: true, data: layers.map((layer) => ending(layer.layer, narrow ? 12 : 24)),
      axisLabel: {interval: 0},
    },
    series: SHARES.map(({key, name, colour}, i) => ({
      name, type: 'bar', stack: 'cycles', itemStyle: {color: colour}, barMaxWidth: 14,
      data: layers.map((layer) => Math.round(layer.time[key] * layer.cycles)),
      label: narrow || i + 1 < SHARES.length ? {show: false} : {
        show: true, position: 'right', color: styleOf('soft'), textBorderWidth: 0, formatter: ({dataIndex}: {dataIndex: number}) => layers[dataIndex]?.limit ?? '',
      },
    })),
  });
}

const intensity = (work: Work) => work.macs / Math.max(1, work.read_bytes + work.write_bytes);
const rate = (work: Work) => work.macs / Math.max(1, work.cycles);

/** Layers and the network under what the array and the bus do at most. */
export function drawRoofline(estimate: Estimate) {
  const {macs_per_cycle, bytes_per_cycle} = estimate.roofs;
  const layers = estimate.layers.filter((layer) => layer.macs > 0);
  const ridge = macs_per_cycle / bytes_per_cycle;
  const xs = [...layers.map(intensity), intensity(estimate), ridge].filter((x) => x > 0);
  const from = 10 ** Math.floor(Math.log10(Math.min(...xs)));
  const to = 10 ** Math.ceil(Math.log10(Math.max(...xs) * 1.01));
  const pointsOf = (works: Work[]) => works.map((work) => [intensity(work), rate(work)]);
  draw('roofline', 340, {
    aria: {enabled: true},
    grid: {left: 60, right: 20, top: 34, bottom: 46},
    legend: {top: 0, right: 0},
    tooltip: {
      confine: true,
      formatter: ({seriesName, dataIndex, value}: {seriesName: string; dataIndex: number; value: number[]}) => {
        const layer = layers[dataIndex];
        if (seriesName === 'layers' && layer) return layerTip(layer);
        return `${seriesName}<br>${figure(value[0] ?? 0)} MACs a byte, ${figure(value[1] ?? 0)} MACs a cycle`;
      },
    },
    xAxis: {type: 'log', name: 'MACs a byte', nameLocation: 'middle', nameGap: 28, min: from, max: to},
    yAxis: {type: 'log', name: 'MACs a cycle'},
    series: [
      {name: 'roof', type: 'line', symbol: 'none', lineStyle: {width: 2, color: '#9a9fa8'}, itemStyle: {color: '#9a9fa8'},
       data: [[from, Math.min(macs_per_cycle, from * bytes_per_cycle)], [ridge, macs_per_cycle], [to, macs_per_cycle]]},
      {name: 'layers', type: 'scatter', symbolSize: 8, itemStyle: {color: '#3b7dd8'}, data: pointsOf(layers)},
      {name: 'network', type: 'scatter', symbol: 'diamond', symbolSize: 14, itemStyle: {color: '#d9822b'},
       data: estimate.macs > 0 ? pointsOf([estimate]) : []},
    ],
  });
}
