// The engine beside the page's thread. Messages are {id, call, arguments}; answers {id, result} or {id, broken}.
import {Engine} from './engine/engine';
import {isFailure, type Effort} from './engine/answers';

export type Call =
  | {name: 'start'; wasm: ArrayBuffer}
  | {name: 'describe'}
  | {name: 'hardware'; yaml: string}
  | {name: 'example'; yaml: string; virtual_threads: 1 | 2}
  | {name: 'steps'; yaml: string; memory: string; assembler: string}
  | {name: 'estimate'; outline: Uint8Array | undefined; yaml: string; memory: string; effort: Effort};
export interface Message {
  id: number;
  call: Call;
}
export interface Reply {
  id: number;
  result?: unknown;
  /** The engine has stopped in the middle of a call; the next call needs another worker. */
  broken?: string;
}

let engine: Engine | undefined;

async function answer(call: Call): Promise<unknown> {
  if (call.name === 'start') {
    engine = await Engine.create(call.wasm);
    return {};
  }
  if (!engine) throw new Error('the engine has not started');
  switch (call.name) {
    case 'describe':
      return engine.describe();
    case 'hardware':
      return engine.hardware(call.yaml);
    case 'example':
      return engine.example(call.yaml, call.virtual_threads);
    case 'steps':
      return engine.steps(call.yaml, call.memory, call.assembler);
    case 'estimate': {
      const used = call.outline ? engine.useNetwork(call.outline) : {};
      return isFailure(used) ? used : engine.estimate(call.yaml, call.memory, call.effort);
    }
  }
}

self.addEventListener('message', async (event: MessageEvent<Message>) => {
  const {id, call} = event.data;
  const reply: Reply = {id};
  try {
    reply.result = await answer(call);
  } catch (error) {
    reply.broken = error instanceof Error ? error.message : String(error);
  }
  self.postMessage(reply);
});
