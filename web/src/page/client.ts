// Calls of the engine, which runs in a worker. One that breaks is replaced by a fresh one.
import type {Description, Effort, Estimate, Failure, Hardware, Steps} from '../engine/answers';
import type {Call, Reply} from '../worker';
import {decompress, fromBase64} from './bytes';

type Pending = {resolve: (result: unknown) => void; reject: (error: Error) => void};

declare global {
  interface Window {
    /** Of engine.js: the worker's script, and the module, compressed by gzip, in base64. */
    vtaEngine?: {worker: string; wasm: string};
  }
}

/** A client of the engine that the page has loaded. Rejected where that is not there or cannot run. */
export async function startClient(): Promise<Client> {
  const files = window.vtaEngine;
  if (!files) throw new Error('engine.js cannot be read: the page needs the folder that it came with');
  return new Client(files.worker, await decompress(fromBase64(files.wasm)));
}

export class Client {
  private worker: Worker | undefined;
  private readonly pending = new Map<number, Pending>();
  private next_id = 0;
  private outline: Uint8Array | undefined;

  /** `source` is the worker's script, `wasm` the engine's module. */
  constructor(private readonly source: string, private readonly wasm: Uint8Array) {}

  describe(): Promise<Description> {
    return this.call({name: 'describe'}) as Promise<Description>;
  }

  hardware(yaml: string): Promise<Hardware | Failure> {
    return this.call({name: 'hardware', yaml}) as Promise<Hardware | Failure>;
  }

  example(yaml: string, virtual_threads: 1 | 2): Promise<{assembler: string} | Failure> {
    return this.call({name: 'example', yaml, virtual_threads}) as Promise<{assembler: string} | Failure>;
  }

  steps(yaml: string, memory: string, assembler: string): Promise<Steps | Failure> {
    return this.call({name: 'steps', yaml, memory, assembler}) as Promise<Steps | Failure>;
  }

  /** Of the network with this outline. */
  async estimate(outline: Uint8Array, yaml: string, memory: string, effort: Effort): Promise<Estimate | Failure> {
    if (this.outline !== outline) {
      const answer = (await this.call({name: 'network', outline})) as Failure | Record<string, never>;
      if ('error' in answer) return answer as Failure;
      this.outline = outline;
    }
    return this.call({name: 'estimate', yaml, memory, effort}) as Promise<Estimate | Failure>;
  }

  private async call(call: Call): Promise<unknown> {
    if (!this.worker) await this.start();
    return this.send(call);
  }

  private async start() {
    const address = URL.createObjectURL(new Blob([this.source], {type: 'text/javascript'}));
    this.worker = new Worker(address);
    URL.revokeObjectURL(address);
    this.worker.addEventListener('message', (event: MessageEvent<Reply>) => this.take(event.data));
    await this.send({name: 'start', wasm: this.wasm.slice().buffer});
  }

  private send(call: Call): Promise<unknown> {
    const id = this.next_id++;
    return new Promise((resolve, reject) => {
      this.pending.set(id, {resolve, reject});
      this.worker?.postMessage({id, call});
    });
  }

  private take(reply: Reply) {
    const waiting = this.pending.get(reply.id);
    this.pending.delete(reply.id);
    if (reply.broken === undefined) {
      waiting?.resolve(reply.result);
      return;
    }
    this.worker?.terminate();
    this.worker = undefined;
    this.outline = undefined;
    waiting?.reject(new Error(`the simulation has stopped: ${reply.broken}`));
  }
}
