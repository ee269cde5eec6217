// The core at one cycle: queues, running instructions, tokens, bus and scratchpads.
import type {Steps, Unit} from '../engine/answers';
import {byId, make} from '../page/dom';
import {whole} from '../page/format';
import {busAt, filledAt, instructionsIn, tokensAt, TOKEN_PATHS, UNITS, waitsFor} from './machine';

const SHOWN_QUEUED = 4;

function unitBox(steps: Steps, unit: Unit, now: number): HTMLElement {
  const text = (i: number) => `${i}: ${steps.instructions[i]?.text ?? ''}`;
  const running = instructionsIn(steps, unit, 'running', now);
  const queued = instructionsIn(steps, unit, 'queued', now);
  const missing = waitsFor(steps, unit, now);
  const idle = missing.length > 0 ? `waits for a token from ${missing.join(' and ')}` : queued.length > 0 ? 'waits' : 'idle';
  const more = queued.length - SHOWN_QUEUED;
  return make('section', {className: `unit ${unit}`, id: `unit-${unit}`},
    make('h3', {}, unit),
    make('p', {className: 'running'}, running.length > 0 ? running.map(text).join('\n') : idle),
    make('p', {className: 'queued'}, `queue: ${queued.length} of ${steps.command_depth}`),
    make('ol', {}, ...queued.slice(0, SHOWN_QUEUED).map((i) => make('li', {}, text(i)))),
    make('p', {}, more > 0 ? `and ${more} more` : ''));
}

function tokenBox(steps: Steps, now: number): HTMLElement[] {
  const counts = tokensAt(steps, now);
  return TOKEN_PATHS.map(({from, to}, i) => make('div', {},
    make('dt', {}, `${from} \u2192 ${to}`),
    make('dd', {className: 'value'}, String(counts[i] ?? 0)),
    make('dd', {}, '\u25cf'.repeat(Math.min(counts[i] ?? 0, 12)))));
}

/** A bar of the part of a scratchpad that the program uses. */
function scratchpadBar(steps: Steps, name: string, depth: number, now: number): HTMLElement {
  const ends = steps.instructions.flatMap(({writes}) => (writes?.[0] === name ? [writes[1] + writes[2]] : []));
  const shown = Math.min(depth, Math.max(1, ...ends));
  const filled = filledAt(steps, name, now);
  const bar = make('div', {className: 'scratchpad'}, ...filled.map(({first, count, is_now}) => {
    const part = make('span', {className: is_now ? 'part now' : 'part'});
    part.style.left = `${(100 * first) / shown}%`;
    part.style.width = `${(100 * count) / shown}%`;
    return part;
  }));
  const text = ends.length === 0 ? `${name}: no load` : `${name}: elements 0 to ${whole(shown - 1)} of ${whole(depth)}`;
  return make('div', {}, make('span', {className: 'label'}, text), bar);
}

/** Shows the core at cycle `now`. */
export function showCore(steps: Steps, now: number) {
  byId('units').replaceChildren(...UNITS.map((unit) => unitBox(steps, unit, now)));
  byId('tokens').replaceChildren(...tokenBox(steps, now));
  const masters = busAt(steps, now);
  byId('bus').textContent = masters.length > 0 ? `Bus: ${masters.join(', ')}` : 'Bus: no data moves';
  byId('scratchpads').replaceChildren(
    ...Object.entries(steps.scratchpads).map(([name, depth]) => scratchpadBar(steps, name, depth, now)));
}
