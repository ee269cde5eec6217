// What all parts of the page share: the points, which of them are shown, and which are compared.
'use strict';

const data = readPageData((found) => Array.isArray(found?.points));
const objectives = data.objectives.map((objective) => objective.text);
const front = new Set(data.front);
const feasible = data.points.filter((point) => point.status === 'ok');

// Values that differ between points; those that do not say nothing in a picture.
const names = [...new Set(feasible.flatMap((point) => Object.keys(point.values)))];
const varying = names.filter((name) => new Set(feasible.map((point) => point.values[name])).size > 1);
const pictured = names.filter((name) => !name.startsWith('fits.'));

const isOnFront = (point) => front.has(point.number);
// Without the sections of parameters, "block_in=16" for "gemm.block_in=16", where that names each axis.
const plain = (name) => name.slice(name.lastIndexOf('.') + 1);
const has_plain_names = new Set(data.axes.map(plain)).size === data.axes.length;
const title_texts = new Map(data.points.map((point) => [point, !has_plain_names ? point.text :
  data.axes.reduce((text, axis) => text.replace(`${axis}=`, `${plain(axis)}=`), point.text)]));
const titleOf = (point) => title_texts.get(point) || 'the base';
const number = (value) => (Math.abs(value) >= 1e5 ? count(value) : Number(value.toPrecision(5)).toString());
// Each limit once: "ALU, memory bus".
const limitsOf = (point) => [...new Set(point.models.map((model) => model.time.limit))].join(', ');

// What the names of expressions are called, with units, and what they mean. Names of single networks end in ".NETWORK".
const VALUES = {
  cycles: ['cycles', 'cycles of the accelerator for one run of each network, by the cycle simulator'],
  latency_ms: ['latency (ms)', 'milliseconds of the accelerator for one run of each network at its clock'],
  throughput: ['runs per second', 'runs of a network a second'],
  energy_mj: ['energy (mJ)', 'millijoules for one run of each network; an estimate from published figures'],
  edp: ['energy × latency (mJ ms)', 'energy times latency, millijoules times milliseconds'],
  utilisation: ['utilisation', 'share of the multipliers\u2019 cycles that do what the networks ask for'],
  macs_per_cycle: ['MACs per cycle', 'multiply-accumulates of the networks in a cycle'],
  dram_mb: ['DRAM traffic (MB)', 'megabytes that go between the memory and the accelerator for one run of each network'],
  host_macs_share: ['MACs on the CPU (share)', 'share of the multiply-accumulates that stay on the CPU; its time is not in the latency'],
  agreement_percent: ['agreement with float (%)', 'percent of the samples to which the integers give the float model\u2019s class'],
  top1_percent: ['top-1 (%)', 'percent of the samples to which the integers give the right class'],
  top1_loss_points: ['top-1 lost (points)', 'percentage points of right classes that the integers lose against float'],
  lut: ['LUTs', 'LUTs; an estimate fitted to synthesis results'],
  ff: ['flip-flops', 'flip-flops; an estimate fitted to synthesis results'],
  dsp: ['DSP blocks', 'DSP blocks, counted from the multipliers of the hardware'],
  bram36: ['block RAMs (36 Kb)', 'block RAMs of 36 Kb, counted from the memories of the hardware'],
  uram: ['UltraRAMs', 'UltraRAM blocks; the hardware has none'],
  clock_mhz: ['clock (MHz)', 'clock in MHz'],
  batch: ['batch', 'inputs that one run of a network takes'],
};
const meaningOf = (name) => VALUES[name]?.[1] ?? '';
// Units in the names of parameters, as people write them.
const UNIT_WORDS = {bytes: 'bytes', mhz: 'MHz', bits: 'bits', cycles: 'cycles'};
// The name of a value for people: "latency (ms)", of one network "latency (ms) of resnet"; for a parameter its words.
function nameForPeople(text) {
  if (text.startsWith('-')) return `\u2212${nameForPeople(text.slice(1).trim())}`;
  const [first, ...rest] = text.split('.');
  if (VALUES[text]) return VALUES[text][0];
  if (VALUES[first] && rest.length > 0) return `${VALUES[first][0]} of ${rest.join('.')}`;
  if (text.startsWith('fits.')) return `fits on ${rest.join('.')}`;
  if (!/^[\w.]+$/.test(text)) return text;  // an expression of the reader's own
  const words = (has_plain_names ? plain(text) : text).split('_');
  const unit = words.length > 1 && UNIT_WORDS[words[words.length - 1]];
  return unit ? `${words.slice(0, -1).join(' ')} (${unit})` : words.join(' ');
}


// Points that are compared with each other; in the order in which they were clicked.
const chosen = new Set();

// Those that were clicked; else some along the front, from one end to the other.
function comparedPoints() {
  if (chosen.size > 0) return [...chosen].map((wanted) => feasible.find((point) => point.number === wanted));
  const whole = feasible.filter(isOnFront).sort((a, b) => a.objectives[0] - b.objectives[0]);
  const most = Math.min(whole.length, COLOURS.length);
  // Those with layers have more to compare.
  const with_layers = whole.filter((point) => data.layers[point.number]);
  const all = with_layers.length >= most ? with_layers : whole;
  return Array.from({length: most}, (_, i) => all[most < 2 ? 0 : Math.floor(i * (all.length - 1) / (most - 1))]);
}

function choose(point) {
  if (!chosen.delete(point.number)) chosen.add(point.number);
  drawChosen();
}

function fillSelect(id, options, selected, changed, textOf = (option) => option) {
  const select = byId(id);
  select.replaceChildren(...options.map((option) => element('option', textOf(option), {value: option})));
  select.value = options.includes(selected) ? selected : options[0] ?? '';
  select.addEventListener('change', changed);
}

// Objectives of a point as they are written: one that is maximised is kept with its sign changed.
const objectiveOf = (point, i) => (data.objectives[i].maximise ? -point.objectives[i] : point.objectives[i]);

const tipOf = (point) => [`<b>${escaped(titleOf(point))}</b>`,
  ...objectives.map((text, i) => `${escaped(nameForPeople(text))}: ${number(objectiveOf(point, i))}`),
  ...point.models.map((model) => `${escaped(model.name)}: limited by ${escaped(model.time.limit)}`),
  ...(point.clock_warning ? [escaped(point.clock_warning)] : []),
  `<i>A click ${chosen.has(point.number) ? 'takes this point out of' : 'adds this point to'} the comparison.</i>`].join('<br>');
