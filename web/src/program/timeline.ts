// All instructions over time, as SVG: a lane for each unit, two where instructions of a unit overlap.
import type {Steps} from '../engine/answers';
import {UNITS} from './machine';

const NAMES = 'http://www.w3.org/2000/svg';
const LANE_PIXELS = 22;
const WIDTH = 1000;

function shape<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Record<string, string | number>): SVGElementTagNameMap[K] {
  const element = document.createElementNS(NAMES, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

interface Bar {
  instruction: number;
  lane: number;
  from: number;
  to: number;
}

/** Bars in the first lane of their unit that is free. */
function barsOf(steps: Steps): {bars: Bar[]; lanes: string[]} {
  const bars: Bar[] = [];
  const lanes: string[] = [];
  for (const unit of UNITS) {
    const ends: number[] = [];
    const base = lanes.length;
    steps.instructions.forEach((step, instruction) => {
      if (step.unit !== unit || step.started === null) return;
      const [from, to] = [step.started, step.retired ?? steps.cycles];
      let lane = ends.findIndex((end) => end <= from);
      if (lane < 0) lane = ends.length;
      ends[lane] = to;
      bars.push({instruction, lane: base + lane, from, to});
    });
    lanes.push(unit, ...Array<string>(Math.max(0, ends.length - 1)).fill(''));
  }
  return {bars, lanes};
}

export class Timeline {
  private cursor: SVGLineElement | undefined;
  private cycles = 1;

  /** `jump` hears of the cycle that the reader points at. */
  constructor(private readonly place: HTMLElement, jump: (cycle: number) => void) {
    place.addEventListener('click', (event) => {
      const {left, width} = place.getBoundingClientRect();
      jump(Math.round(((event.clientX - left) / width) * this.cycles));
    });
  }

  draw(steps: Steps) {
    this.cycles = Math.max(1, steps.cycles);
    const {bars, lanes} = barsOf(steps);
    const height = lanes.length * LANE_PIXELS;
    const svg = shape('svg', {viewBox: `0 0 ${WIDTH} ${height}`, preserveAspectRatio: 'none', role: 'img'});
    svg.setAttribute('aria-label', `${bars.length} instructions over ${steps.cycles} cycles`);
    svg.style.height = `${height}px`;
    for (const {instruction, lane, from, to} of bars) {
      const x = (from / this.cycles) * WIDTH;
      const bar = shape('rect', {
        x, y: lane * LANE_PIXELS + 3, width: Math.max(1, ((to - from) / this.cycles) * WIDTH), height: LANE_PIXELS - 6,
        class: `bar ${steps.instructions[instruction]?.unit}`,
      });
      const title = shape('title', {});
      title.textContent = `${instruction}: ${steps.instructions[instruction]?.text}, cycles ${from} to ${to}`;
      bar.append(title);
      svg.append(bar);
    }
    this.cursor = shape('line', {y1: 0, y2: height, class: 'cursor'});
    svg.append(this.cursor);
    const names = document.createElement('div');
    names.className = 'lanes';
    names.append(...lanes.map((lane) => Object.assign(document.createElement('span'), {textContent: lane})));
    this.place.replaceChildren(svg);
    this.place.previousElementSibling?.replaceChildren(names);
  }

  moveTo(cycle: number) {
    const x = String((cycle / this.cycles) * WIDTH);
    this.cursor?.setAttribute('x1', x);
    this.cursor?.setAttribute('x2', x);
  }
}
