// The plotting library, which the page loads before its own script; and its colours.
import {byId} from './dom';

interface Chart {
  setOption(option: object): void;
  resize(size?: object): void;
  dispose(): void;
}
declare const echarts: {init(place: HTMLElement, theme: object, options: object): Chart};

/** A colour of the page. */
export const styleOf = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function theme() {
  const [text, soft, line] = ['text', 'soft', 'line'].map(styleOf);
  const axis = {
    axisLine: {lineStyle: {color: soft}}, axisTick: {lineStyle: {color: soft}}, axisLabel: {color: soft},
    nameTextStyle: {color: soft}, splitLine: {lineStyle: {color: line}},
  };
  return {
    textStyle: {color: text}, backgroundColor: 'transparent', categoryAxis: axis, valueAxis: axis, logAxis: axis,
    legend: {textStyle: {color: text}, inactiveColor: soft},
    tooltip: {backgroundColor: styleOf('panel'), borderColor: line, textStyle: {color: text}},
  };
}

const charts = new Map<string, Chart>();

/** Draws in the element `id`, which is `height` pixels high; a chart that is there is replaced. */
export function draw(id: string, height: number, option: object) {
  charts.get(id)?.dispose();
  const place = byId(id);
  place.style.height = `${height}px`;
  const chart = echarts.init(place, theme(), {renderer: 'svg'});
  chart.setOption({animation: false, ...option});
  charts.set(id, chart);
}

window.addEventListener('resize', () => {
  for (const chart of charts.values()) chart.resize();
});
