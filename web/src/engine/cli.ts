// The engine under Node: requests from standard input, one JSON object a line, answers to standard output. For tests.
import {readFileSync} from 'node:fs';
import {gunzipSync} from 'node:zlib';
import {createInterface} from 'node:readline';
import type {Effort} from './answers';
import {Engine} from './engine';

interface Request {
  ask: 'describe' | 'hardware' | 'estimate' | 'network';
  /** Of `network`: the outline's file, which may be compressed. */
  file?: string;
  yaml?: string;
  memory?: string;
  effort?: Effort;
}

function answer(engine: Engine, request: Request): unknown {
  if (request.ask === 'describe') return engine.describe();
  if (request.ask === 'hardware') return engine.hardware(request.yaml ?? '');
  if (request.ask === 'estimate') {
    return engine.estimate(request.yaml ?? '', request.memory ?? 'simple', request.effort ?? 'estimated');
  }
  const bytes = readFileSync(request.file ?? '');
  return engine.useNetwork(bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes);
}

const [, , wasm] = process.argv;
if (!wasm) throw new Error('usage: cli.mjs MODULE.wasm');
const engine = await Engine.create(readFileSync(wasm));
for await (const line of createInterface({input: process.stdin})) {
  const started = performance.now();
  const result = answer(engine, JSON.parse(line) as Request) as object;
  console.log(JSON.stringify({...result, elapsed_ms: performance.now() - started}));
}
