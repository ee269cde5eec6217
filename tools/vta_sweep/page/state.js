// What all parts of the page share: the points, which of them are shown, and which are compared.
'use strict';

const data = JSON.parse(byId('data').textContent);
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

// What the names of expressions mean, with units. Names of single networks end in ".NETWORK".
const MEANINGS = {
  cycles: 'cycles of the accelerator for one run of each network, by the cycle simulator',
  latency_ms: 'milliseconds of the accelerator for one run of each network at its clock',
  throughput: 'runs of a network a second',
  energy_mj: 'millijoules for one run of each network; an estimate from published figures',
  edp: 'energy times latency, millijoules times milliseconds',
  utilisation: 'share of the multipliers\u2019 cycles that do what the networks ask for',
  macs_per_cycle: 'multiply-accumulates of the networks in a cycle',
  dram_mb: 'megabytes that go between the memory and the accelerator for one run of each network',
  host_macs_share: 'share of the multiply-accumulates that stay on the CPU; its time is not in the latency',
  agreement_percent: 'percent of the samples to which the integers give the float model\u2019s class',
  top1_percent: 'percent of the samples to which the integers give the right class',
  top1_loss_points: 'percentage points of right classes that the integers lose against float',
  lut: 'LUTs; an estimate fitted to synthesis results',
  ff: 'flip-flops; an estimate fitted to synthesis results',
  dsp: 'DSP blocks, counted from the multipliers of the hardware',
  bram36: 'block RAMs of 36 Kb, counted from the memories of the hardware',
  uram: 'UltraRAM blocks; the hardware has none',
  clock_mhz: 'clock in MHz',
  batch: 'inputs that one run of a network takes',
};

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

function fillSelect(id, options, selected, changed) {
  const select = byId(id);
  select.replaceChildren(...options.map((option) => element('option', option, {value: option})));
  select.value = options.includes(selected) ? selected : options[0] ?? '';
  select.addEventListener('change', changed);
}

// Objectives of a point as they are written: one that is maximised is kept with its sign changed.
const objectiveOf = (point, i) => (data.objectives[i].maximise ? -point.objectives[i] : point.objectives[i]);

const tipOf = (point) => [`<b>${escaped(titleOf(point))}</b>`,
  ...objectives.map((text, i) => `${escaped(text)}: ${number(objectiveOf(point, i))}`),
  ...point.models.map((model) => `${escaped(model.name)}: limited by ${escaped(model.time.limit)}`),
  ...(point.clock_warning ? [escaped(point.clock_warning)] : [])].join('<br>');
