// The points that are compared: their values, what limits them, their rooflines and their layers.
'use strict';

const PARTS = [['array', 'array: multiply-accumulates', '#3f8f4f'], ['lanes', 'array: multipliers without work', '#a8d1b0'],
  ['alu', 'ALU', '#14828a'], ['bus', 'memory bus', '#2f6fb5'], ['latency', 'memory latency', '#d18f00'],
  ['control', 'control: instructions, results', '#8791a3']];

// Values in which the compared points differ, a row each.
function drawCompared(points) {
  const rows = pictured.filter((name) => new Set(points.map((point) => point.values[name])).size > 1);
  const body = element('tbody');
  for (const name of rows) {
    const row = element('tr');
    row.append(element('td', nameForPeople(name), {title: meaningOf(name)}), ...points.map((point, i) => {
      const value = point.values[name];
      const cell = element('td', value === undefined ? '' : number(value), {className: 'number'});
      if (i > 0) cell.append(difference(value, points[0].values[name], 0));
      return cell;
    }));
    body.append(row);
  }
  const head = headRow(['']);
  head.rows[0].append(...points.map((point, i) => {
    const cell = element('th', titleOf(point), {scope: 'col', className: 'number'});
    cell.prepend(swatch(colourOfNumber(i)));
    return cell;
  }));
  byId('compared').replaceChildren(head, body);
  byId('compared-note').textContent = chosen.size > 0 ? 'The points that you chose; a click on a point adds or removes it.' :
    'Points along the front. A click on a point, in a picture or in a table, chooses others.';
}

function drawLimits(points) {
  const rows = points.flatMap((point) => point.models.map((model) => ({point, model}))).reverse();
  byId('limits').style.height = `${130 + 34 * rows.length}px`;
  draw('limits', PARTS.length * rows.length, {
    tooltip: {}, legend: {}, color: PARTS.map(([, , colour]) => colour),
    grid: {left: 20, right: 30, top: byId('limits').clientWidth < 1000 ? 80 : 50, bottom: 30, containLabel: true},
    xAxis: {type: 'value', max: 100, axisLabel: {formatter: '{value} %'}},
    yAxis: {type: 'category', data: rows.map(({point, model}) =>
      (point.models.length > 1 ? `${model.name}: ${titleOf(point)}` : titleOf(point))),
      axisLabel: {width: Math.min(420, 0.4 * byId('limits').clientWidth), overflow: 'break', fontSize: 11, lineHeight: 13}},
    series: PARTS.map(([key, title]) => ({name: title, type: 'bar', stack: 'all',
      data: rows.map(({model}) => Number((100 * model.time[key]).toFixed(2)))})),
  });
}

// Reads and writes have a data channel each, so intensity counts the bytes of the busier one.
function placeUnderRoof({macs, cycles, dram_read_bytes: read, dram_write_bytes: written}) {
  const bytes_moved = Math.max(read, written);
  return macs > 0 && cycles > 0 && bytes_moved > 0 ? [macs / bytes_moved, macs / cycles] : null;
}

const layersOf = (point, model) => data.layers[point.number]?.find((each) => each.model === model)?.layers;

// What of a point is drawn: its network, and its layers where they are known.
function rooflineItems(point, wanted) {
  const items = [{name: wanted, work: point.models.find((model) => model.name === wanted), size: 18},
    ...(layersOf(point, wanted) ?? []).map((layer) => ({name: layer.layer, work: layer, size: 7}))];
  return items.map((item) => ({...item, place: placeUnderRoof(item.work)})).filter((item) => item.place);
}

function drawRoofline(points) {
  const wanted = byId('compared-model').value;
  const shown = points.map((point) => ({point, items: rooflineItems(point, wanted)})).filter(({items}) => items.length > 0);
  byId('roofline').hidden = shown.length === 0;
  if (shown.length === 0) return;
  const places = shown.flatMap(({items}) => items.map((item) => item.place));
  const ridge = ({roofs}) => roofs.macs_per_cycle / roofs.bytes_per_cycle;
  const across = [...places.map(([x]) => x), ...shown.map(({point}) => ridge(point))];
  const decade = (value, round) => 10 ** round(Math.log10(value));
  const [least, most] = [decade(Math.min(...across), Math.floor), decade(Math.max(...across), Math.ceil)];
  const lowest = decade(Math.min(...places.map(([, y]) => y)), Math.floor);
  const highest = decade(Math.max(...shown.map(({point}) => point.roofs.macs_per_cycle)), Math.ceil);
  const axis = (name, min, max) => ({type: 'log', name, nameLocation: 'middle', min, max, minorSplitLine: {show: true}});
  draw('roofline', places.length, {
    grid: {left: 80, right: 30, top: 60, bottom: 50},
    legend: {type: 'scroll', data: shown.map(({point}) => titleOf(point))},
    tooltip: {formatter: ({data: item, seriesName}) => (item.item ? `<b>${escaped(item.item.name)}</b><br>${escaped(seriesName)}<br>` +
      `${item.value[0].toPrecision(4)} MACs/byte, ${item.value[1].toPrecision(4)} MACs/cycle<br>` +
      `limited by ${escaped(item.item.work.time.limit)}` : '')},
    xAxis: {...axis('operational intensity, MACs per byte', least, most), nameGap: 28},
    yAxis: {...axis('MACs per cycle', lowest, highest), nameGap: 50},
    series: shown.flatMap(({point, items}, i) => {
      const {macs_per_cycle: peak, bytes_per_cycle: bus} = point.roofs;
      const color = colourOfNumber(i);
      return [
        {type: 'line', name: titleOf(point), symbol: 'none', silent: true, lineStyle: {color, width: 1.5}, itemStyle: {color},
          data: [[Math.max(least, lowest / bus), Math.max(least * bus, lowest)], [ridge(point), peak], [most, peak]]},
        {type: 'scatter', name: titleOf(point), itemStyle: {color, borderColor: styleOf('page'), borderWidth: 1},
          data: items.map((item) => ({value: item.place, symbolSize: item.size, item}))},
      ];
    }),
  });
}

const FIRST_LAYERS = 12;
let all_layers = false;

// Bars of one layer, one for each point. A layer is the one of that place in the network: names may be there twice.
function layerBars(place, lists, most) {
  const group = element('div', undefined, {className: 'compared'});
  lists.forEach(({index, layers}, i) => {
    const layer = layers[place];
    const row = element('div', undefined, {className: 'cost'});
    const text = element('div', `${count(layer.cycles)} cycles, ${layer.time.limit}`);
    if (i > 0) text.append(difference(layer.cycles, lists[0].layers[place].cycles, -1));
    row.append(element('div', i === 0 ? layer.layer : '', {className: 'name', title: layer.layer}),
      bar(layer.cycles / most, colourOfNumber(index)), text);
    group.append(row);
  });
  return group;
}

function layersNote(lists, unknown) {
  if (lists.length === 0) {
    return 'The layers of none of these points were measured: choose a point along the front, or name one by --layers-of.';
  }
  const without = unknown.length === 0 ? '' : ' Not measured: ' +
    `${unknown.map((point) => `${titleOf(point)} (--layers-of ${point.number})`).join('; ')}.`;
  return `Cycles of each layer when it runs by itself, and what limits it; the longest first.${without}`;
}

function drawLayers(points) {
  const wanted = byId('compared-model').value;
  const all = points.map((point, index) => ({index, point, layers: layersOf(point, wanted)}));
  // Points whose layers are others, because they fuse more, cannot stand side by side.
  const known = all.filter(({layers}) => layers);
  const lists = known.filter(({layers}) => layers.length === known[0].layers.length);
  byId('layers-note').textContent = layersNote(lists, all.filter((each) => !lists.includes(each)).map(({point}) => point));
  const longest = (place) => Math.max(...lists.map(({layers}) => layers[place].cycles));
  const places = lists.length === 0 ? [] : lists[0].layers.map((_, place) => place).sort((a, b) => longest(b) - longest(a) || a - b);
  const shown = all_layers ? places : places.slice(0, FIRST_LAYERS);
  byId('layers').replaceChildren(...shown.map((place) => layerBars(place, lists, longest(places[0]))));
  const more = byId('layers-more');
  more.hidden = places.length <= FIRST_LAYERS;
  more.textContent = all_layers ? `Show the ${FIRST_LAYERS} longest` : `Show all ${places.length} layers`;
  more.onclick = () => {
    all_layers = !all_layers;
    drawLayers(comparedPoints());
  };
}

function drawComparison() {
  const points = comparedPoints();
  drawCompared(points);
  drawLimits(points);
  drawRoofline(points);
  drawLayers(points);
}

function makeComparison() {
  fillSelect('compared-model', Object.keys(data.manifest.models), '', drawComparison);
}
