// What the page writes as files.
import type {Estimate} from '../engine/answers';
import {SHARES} from './charts';

const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Layers as comma-separated values; the last row is the network's. */
export function layersCsv(estimate: Estimate): string {
  const head = ['layer', 'macs', 'cycles', 'read_bytes', 'write_bytes', 'bound_by', ...SHARES.map(({key}) => key)];
  const rows = [...estimate.layers, {...estimate, layer: 'network'}].map((work) => [
    quoted(work.layer), work.macs, work.cycles, work.read_bytes, work.write_bytes, work.limit,
    ...SHARES.map(({key}) => work.time[key].toFixed(6)),
  ]);
  return [head, ...rows].map((row) => row.join(',')).join('\n') + '\n';
}
