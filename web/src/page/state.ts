// What the reader has chosen: kept over reloads, and in links.
import type {Effort} from '../engine/answers';
import {fromWord, toWord} from './bytes';

/** One accelerator with one memory and one network. */
export interface Point {
  network: string;
  hardware: string;
  /** A name or YAML. */
  memory: string;
  effort: Effort;
}
/** A point that was kept to be compared with. */
export interface KeptPoint extends Point {
  label: string;
}
export interface State extends Point {
  kept: KeptPoint[];
}

export const MOST_KEPT = 6;
const KEY = 'vta-page';

const isText = (value: unknown): value is string => typeof value === 'string';

function isPoint(value: unknown): value is Point {
  const point = value as Partial<Point> | null;
  return !!point && isText(point.network) && isText(point.hardware) && isText(point.memory) &&
    (point.effort === 'estimated' || point.effort === 'simulated');
}

function isState(value: unknown): value is State {
  const kept = (value as Partial<State> | null)?.kept;
  return isPoint(value) && Array.isArray(kept) && kept.length <= MOST_KEPT &&
    kept.every((each) => isPoint(each) && isText((each as KeptPoint).label));
}

function parse(text: string | null | undefined): State | undefined {
  try {
    const value: unknown = text ? JSON.parse(text) : undefined;
    return isState(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The state in a link's part behind #. */
export const stateOfLink = (hash: string) => parse(fromWord(hash.replace(/^#/, '')));
export const linkOf = (state: State) => `#${toWord(JSON.stringify(state))}`;

/** The state that this browser has kept, if it keeps any. */
export function keptState(): State | undefined {
  try {
    return parse(localStorage.getItem(KEY));
  } catch {
    return undefined;  // pages from files may have no memory
  }
}
export function keepState(state: State) {
  try {
    localStorage.setItem(KEY, JSON.stringify(state));
  } catch {
    // It holds until the page is closed.
  }
}
