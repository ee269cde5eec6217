// The figures of an estimate.
import type {Device, Estimate, Hardware, Resources} from '../engine/answers';
import {drawLayers, drawRoofline, SHARES} from './charts';
import {byId, make} from './dom';
import {bytes, figure, milliseconds, percent, whole} from './format';

const RESOURCE_NAMES: Record<string, string> = {
  lut: 'LUTs', ff: 'flip-flops', dsp: 'DSP blocks', bram36: 'block RAMs', uram: 'UltraRAMs',
};

function tile(id: string, name: string, value: string, more: string): HTMLElement {
  return make('div', {id}, make('dt', {}, name), make('dd', {className: 'value'}, value), make('dd', {}, more));
}

/** "array 61.0 %, memory bus 20.1 %": the largest shares. */
function spentOn(estimate: Estimate): string {
  const shares = SHARES.map(({key, name}) => ({name, share: estimate.time[key]}));
  shares.sort((a, b) => b.share - a.share);
  return shares.slice(0, 2).map(({name, share}) => `${name} ${percent(share)}`).join(', ');
}

function showTiles(estimate: Estimate) {
  const ms = milliseconds(estimate.cycles, estimate.clock_mhz);
  const moved = estimate.read_bytes + estimate.write_bytes;
  const used = estimate.macs / Math.max(1, estimate.cycles * estimate.roofs.macs_per_cycle);
  byId('tiles').replaceChildren(
    tile('tile-cycles', 'cycles on the accelerator', whole(estimate.cycles), `in ${whole(estimate.launches)} ${estimate.launches === 1 ? 'launch' : 'launches'}`),
    tile('tile-ms', 'time', `${figure(ms)} ms`, `at ${figure(estimate.clock_mhz)} MHz`),
    tile('tile-frames', 'frames a second', ms > 0 ? figure(1e3 / ms) : '-', 'one after the other'),
    tile('tile-limit', 'bound by', estimate.limit || '-', spentOn(estimate)),
    tile('tile-use', 'multipliers at work', percent(used), `${whole(estimate.macs)} MACs`),
    tile('tile-bytes', 'memory traffic', bytes(moved), `${bytes(estimate.write_bytes)} of it written`),
  );
}

function hostText(estimate: Estimate): string {
  const count = estimate.host_layers.length;
  if (count === 0) return 'All layers run on the accelerator.';
  const names = estimate.host_layers.slice(0, 8).map(({layer}) => layer).join(', ');
  const more = count > 8 ? `, and ${count - 8} more` : '';
  return `Not counted: ${count} steps with ${whole(estimate.macs_on_cpu)} MACs on the host's processor (${names}${more}).`;
}

/** The devices that have room for all of `area`. */
function devicesFor(area: Resources, devices: Device[]): string {
  const fitting = devices.filter(({has}) => Object.keys(area).every((name) => (area[name] ?? 0) <= (has[name] ?? 0)));
  if (fitting.length === 0) return 'It fits none of the devices that the area model knows.';
  return `Fits: ${fitting.map(({name, boards}) => (boards ? `${name} (${boards})` : name)).join(', ')}.`;
}

/** The resources of an FPGA, estimated from synthesised configurations. */
export function showArea(hardware: Hardware, devices: Device[]) {
  const entries = Object.entries(hardware.area).filter(([, value]) => value > 0);
  byId('area').replaceChildren(...entries.map(([name, value]) =>
    tile(`area-${name}`, RESOURCE_NAMES[name] ?? name, whole(value), '')));
  byId('fits').textContent = devicesFor(hardware.area, devices);
  byId('summary').textContent = hardware.summary;
}

/** Everything that follows from an estimate. */
export function showEstimate(estimate: Estimate) {
  showTiles(estimate);
  byId('host').textContent = hostText(estimate);
  drawLayers(estimate);
  drawRoofline(estimate);
}
