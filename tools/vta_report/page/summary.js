// The answer in one sentence, and the tiles.
'use strict';

const costOf = (layer) => layer.ms ?? 0;

// Why a layer takes its time, as a part of a sentence.
function reasonOf(layer) {
  if (!isOnVta(layer)) return `it runs on the CPU: ${layer.reason}`;
  return LIMITS[layer.limit]?.[1] ?? layer.limit;
}

function drawAnswer() {
  const {summary, table} = report;
  const most = table.rows.reduce((a, b) => (costOf(b) > costOf(a) ? b : a), table.rows[0]);
  const share = percent(100 * costOf(most) / summary.latency_ms);
  byId('answer').textContent =
    `One inference takes ${milliseconds(summary.latency_ms)}. ${most.name} costs most, ${share} of it: ${reasonOf(most)}.`;
  byId('warning').replaceChildren(...summary.warnings.map((warning) => element('span', warning)));
}

// What the option would win, where that is known. Older reports do not say.
function fastText(summary) {
  const fast = summary.fast_rescaling_cycles ?? summary.cycles;
  return fast < summary.cycles ? `; ${count(fast)} cycles with --rescaling=fast` : '';
}

function tileTexts() {
  const s = report.summary;
  const crossings = report.crossings.length;
  return [
    ['latency', milliseconds(s.latency_ms),
      `${milliseconds(s.vta_ms)} on the VTA at ${s.clock_mhz} MHz, ${milliseconds(s.cpu_ms)} on the CPU as measured`],
    ['frames per second', s.frames_per_second.toPrecision(4).replace(/e.*/, ''), 'one after the other'],
    ['energy per inference', energy(s.energy_pj), `an estimate; ${percent(s.energy_dram_percent)} of it DRAM`],
    ['share of the roofline', percent(s.roofline_percent),
      `${s.macs_per_cycle.toFixed(1)} of ${count(s.peak_macs_per_cycle)} MACs in a cycle`],
    ['cycles on the VTA', count(s.cycles), `${count(report.timeline.instructions)} instructions${fastText(s)}`],
    ['MACs on the VTA', percent(s.macs > 0 ? 100 * s.macs_on_vta / s.macs : 0),
      `of ${count(s.macs)}; ${s.cpu_steps} of ${s.steps} steps run on the CPU`],
    ['DRAM traffic', bytes(s.dram_read_bytes + s.dram_write_bytes),
      `${bytes(s.dram_read_bytes)} read, ${bytes(s.dram_write_bytes)} written`],
    ['crossings', count(crossings), crossings === 0 ? 'nothing leaves the VTA between its layers' :
      'tensors that go from the VTA to the CPU and back'],
  ];
}

function drawSummary() {
  document.title = `${report.model} - VTA report`;
  byId('title').textContent = reports.length > 1 ? `${reports.length} reports` : report.model;
  byId('subtitle').textContent = reports.length > 1 ? '' :
    `One inference on the accelerator ${report.hw}. Device: ${report.device_text ?? report.device}. Input: ${report.input}.`;
  byId('footer').textContent =
    `vta-run ${report.sdk_version}. Charts: Apache ECharts ${echarts.version}, Apache License 2.0.`;
  byId('tiles').replaceChildren(...tileTexts().map(([title, value, note]) => {
    const tile = element('div');
    tile.append(element('dt', title), element('dd', value, {className: 'value'}), element('dd', note));
    return tile;
  }));
  drawAnswer();
}
