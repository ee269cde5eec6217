// Points that were kept, beside the one on the page.
import type {Estimate, Hardware} from '../engine/answers';
import {Abandoned} from './client';
import {byId, make} from './dom';
import {figure, milliseconds, whole} from './format';
import type {KeptPoint, Point} from './state';

/** What the table shows of a point. */
export interface Figures {
  estimate: Estimate;
  hardware: Hardware;
}
/** Computes the figures of a point; rejected with the reason where it has none. */
export type Evaluate = (point: Point) => Promise<Figures>;

const COLUMNS = ['point', 'network', 'cycles', 'ms', 'to this', 'bound by', 'LUTs', 'DSP', 'BRAM', ''];

function cells(figures: Figures, now: Figures | undefined): string[] {
  const {estimate, hardware} = figures;
  const ms = milliseconds(estimate.cycles, estimate.clock_mhz);
  const now_ms = now && milliseconds(now.estimate.cycles, now.estimate.clock_mhz);
  return [
    whole(estimate.cycles), figure(ms), now_ms ? `${figure(ms / now_ms)}x` : '', estimate.limit,
    whole(hardware.area.lut ?? 0), whole(hardware.area.dsp ?? 0), figure(hardware.area.bram36 ?? 0),
  ];
}

export class Comparison {
  private readonly figures = new Map<string, Figures | string>();
  private now: Figures | undefined;
  private points: KeptPoint[] = [];

  constructor(private readonly evaluate: Evaluate, private readonly take: (point: KeptPoint) => void,
              private readonly drop: (point: KeptPoint) => void) {}

  /** Shows `points`; what is not known of them yet is computed, one after the other. */
  async show(points: KeptPoint[], now: Figures | undefined) {
    this.points = points;
    this.now = now;
    this.render();
    for (const point of points) {
      const key = this.keyOf(point);
      if (this.figures.has(key)) continue;
      try {
        this.figures.set(key, await this.evaluate(point));
      } catch (error) {
        if (error instanceof Abandoned) return;  // what is newer shows the points again
        this.figures.set(key, error instanceof Error ? error.message : String(error));
      }
      this.render();
    }
  }

  private keyOf({network, hardware, memory, effort}: Point) {
    return JSON.stringify([network, hardware, memory, effort]);
  }

  private render() {
    byId('kept').hidden = this.points.length === 0;
    byId('kept-head').replaceChildren(...COLUMNS.map((name) => make('th', {scope: 'col'}, name)));
    byId('kept-rows').replaceChildren(...this.points.map((point) => this.row(point)));
  }

  private row(point: KeptPoint): HTMLElement {
    const take = make('button', {type: 'button', title: 'Show this point'}, point.label);
    take.addEventListener('click', () => this.take(point));
    const drop = make('button', {type: 'button', ariaLabel: `Remove ${point.label}`}, '\u00d7');
    drop.addEventListener('click', () => this.drop(point));
    const known = this.figures.get(this.keyOf(point));
    const middle = known === undefined || typeof known === 'string'
      ? [make('td', {colSpan: COLUMNS.length - 3}, known ?? '\u2026')]
      : cells(known, this.now).map((text) => make('td', {className: 'number'}, text));
    return make('tr', {}, make('td', {}, take), make('td', {}, point.network), ...middle, make('td', {}, drop));
  }
}
