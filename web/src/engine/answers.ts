// What the WebAssembly module answers (web/estimate/).

export interface Failure {
  error: string;
  in: 'hardware' | 'memory' | 'network' | 'program' | 'request';
}

export interface Parameter {
  section: string;
  key: string;
  kind: 'text' | 'integer' | 'decimal' | 'bytes' | 'choice' | 'flag' | 'set';
  unit: string;
  doc: string;
  legal: string;
  default: string;
  names?: string[];
  min?: number;
  max?: number;
  power_of_two?: boolean;
}

export type Resources = Record<string, number>;

export interface Device {
  name: string;
  boards: string;
  has: Resources;
}

export interface Description {
  parameters: Parameter[];
  memories: string[];
  devices: Device[];
}

export interface Hardware {
  name: string;
  summary: string;
  /** By full key, as files have them. */
  values: Record<string, string>;
  /** What outlines are found by. */
  outline: string;
  area: Resources;
}

/** Shares of cycles by what they are spent on; their sum is 1. */
export interface TimeShares {
  array: number;
  lanes: number;
  alu: number;
  bus: number;
  latency: number;
  control: number;
}

export interface Work {
  macs: number;
  cycles: number;
  read_bytes: number;
  write_bytes: number;
  time: TimeShares;
  limit: string;
}

export interface LayerWork extends Work {
  layer: string;
}

export interface Estimate extends Work {
  clock_mhz: number;
  launches: number;
  macs_on_cpu: number;
  program_bytes: number;
  activation_bytes: number;
  roofs: {macs_per_cycle: number; bytes_per_cycle: number};
  layers: LayerWork[];
  host_layers: {layer: string; macs: number}[];
}

export type Unit = 'load' | 'compute' | 'store';
export type Token = 'pop_prev' | 'pop_next' | 'push_prev' | 'push_next';

/** One instruction of a launch; cycles are null where it did not get so far. */
export interface Step {
  text: string;
  unit: Unit;
  tokens: Token[];
  /** A scratchpad, its first element that is written, and how many are. */
  writes: [string, number, number] | null;
  dispatched: number | null;
  started: number | null;
  retired: number | null;
}

export interface Steps {
  cycles: number;
  command_depth: number;
  token_depth: number;
  /** Elements by scratchpad. */
  scratchpads: Record<string, number>;
  instructions: Step[];
  /** Who moves data on the bus, and its first and last cycle. */
  bursts: [Unit | 'fetch', number, number][];
  findings: [number, string][];
}

export type Effort = 'estimated' | 'simulated';

export const isFailure = (answer: unknown): answer is Failure =>
  typeof answer === 'object' && answer !== null && 'error' in answer;
