// The core at one cycle, from the times of all instructions.
import type {Steps, Token, Unit} from '../engine/answers';

export const UNITS: readonly Unit[] = ['load', 'compute', 'store'];

/** What an instruction is doing. */
export type Phase = 'to come' | 'queued' | 'running' | 'done';

/** Tokens go from one unit to another: who pushes which flag, and who pops which. */
interface TokenPath {
  from: Unit;
  push: Token;
  to: Unit;
  pop: Token;
}
export const TOKEN_PATHS: readonly TokenPath[] = [
  {from: 'load', push: 'push_next', to: 'compute', pop: 'pop_prev'},
  {from: 'compute', push: 'push_prev', to: 'load', pop: 'pop_next'},
  {from: 'compute', push: 'push_next', to: 'store', pop: 'pop_prev'},
  {from: 'store', push: 'push_prev', to: 'compute', pop: 'pop_next'},
];

const has = (cycle: number | null, now: number) => cycle !== null && cycle <= now;

/** The phase of instruction `i` at cycle `now`. */
export function phaseOf(steps: Steps, i: number, now: number): Phase {
  const step = steps.instructions[i];
  if (!step || !has(step.dispatched, now)) return 'to come';
  if (!has(step.started, now)) return 'queued';
  return has(step.retired, now) ? 'done' : 'running';
}

/** The numbers of the instructions of `unit` in this phase. */
export function instructionsIn(steps: Steps, unit: Unit, phase: Phase, now: number): number[] {
  return steps.instructions.flatMap((step, i) => (step.unit === unit && phaseOf(steps, i, now) === phase ? [i] : []));
}

/** Tokens that are pushed and not popped, in the order of TOKEN_PATHS. */
export function tokensAt(steps: Steps, now: number): number[] {
  return TOKEN_PATHS.map(({from, push, to, pop}) => {
    const pushed = steps.instructions.filter((step) => step.unit === from && step.tokens.includes(push) && has(step.retired, now));
    const popped = steps.instructions.filter((step) => step.unit === to && step.tokens.includes(pop) && has(step.started, now));
    return pushed.length - popped.length;
  });
}

/** The tokens that the first queued instruction of `unit` lacks, as "load" or "store": who has to push them. */
export function waitsFor(steps: Steps, unit: Unit, now: number): Unit[] {
  const [first] = instructionsIn(steps, unit, 'queued', now);
  const step = first === undefined ? undefined : steps.instructions[first];
  const counts = tokensAt(steps, now);
  return TOKEN_PATHS.flatMap(({from, to, pop}, i) => (to === unit && step?.tokens.includes(pop) && counts[i] === 0 ? [from] : []));
}

/** A part of a scratchpad. */
export interface Filled {
  first: number;
  count: number;
  is_now: boolean;  // it is being written
}

/** What LOADs have written into a scratchpad, or are writing. */
export function filledAt(steps: Steps, scratchpad: string, now: number): Filled[] {
  return steps.instructions.flatMap((step, i) => {
    const phase = phaseOf(steps, i, now);
    if (step.writes?.[0] !== scratchpad || (phase !== 'running' && phase !== 'done')) return [];
    return [{first: step.writes[1], count: step.writes[2], is_now: phase === 'running'}];
  });
}

/** Who moves data on the bus. */
export function busAt(steps: Steps, now: number): string[] {
  return [...new Set(steps.bursts.filter(([, from, to]) => from <= now && now <= to).map(([master]) => master))];
}

/** The cycles in which anything begins or ends, each once, in order. */
export function turningPoints(steps: Steps): number[] {
  const cycles = steps.instructions.flatMap(({dispatched, started, retired}) => [dispatched, started, retired]);
  const known = cycles.filter((cycle) => cycle !== null);
  return [...new Set([0, ...known, steps.cycles])].sort((a, b) => a - b);
}
