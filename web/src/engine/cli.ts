// The engine under Node: requests from standard input, one JSON object a line, answers to standard output. For tests.
import {readFileSync} from 'node:fs';
import {createInterface} from 'node:readline';
import {Engine} from './engine';

interface Request {
  ask: string;
  /** Of "network", which is the engine's useNetwork: the outline's file. */
  file?: string;
}

function answer(engine: Engine, request: Request): unknown {
  return request.ask === 'network' ? engine.useNetwork(readFileSync(request.file ?? '')) : engine.ask(request);
}

const [, , wasm] = process.argv;
if (!wasm) throw new Error('usage: cli.mjs MODULE.wasm');
const engine = await Engine.create(readFileSync(wasm));
for await (const line of createInterface({input: process.stdin})) {
  const started = performance.now();
  const result = answer(engine, JSON.parse(line) as Request) as object;
  console.log(JSON.stringify({...result, elapsed_ms: performance.now() - started}));
}
