// Calls of the engine, which runs in a worker. One that breaks is replaced by a fresh one.
import type {Description, Effort, Estimate, Failure, Hardware, Steps} from '../engine/answers';
import type {Call, Reply} from '../worker';
import {decompress, fromBase64} from './bytes';

/** The error of calls that were given up. */
export class Abandoned extends Error {
  constructor() {
    super('given up for a newer request');
  }
}

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
  private starting: Promise<unknown> | undefined;
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
    await this.started();
    // In one message, so that no other call changes the network in between.
    const changed = this.outline === outline ? undefined : outline;
    this.outline = outline;
    return this.send({name: 'estimate', outline: changed, yaml, memory, effort}) as Promise<Estimate | Failure>;
  }

  /** Gives up the calls that are going on: a simulation of seconds would keep newer ones waiting. */
  abandon() {
    if (this.pending.size === 0) return;
    this.stop();
    const given_up = [...this.pending.values()];
    this.pending.clear();
    for (const {reject} of given_up) reject(new Abandoned());
  }

  private stop() {
    this.worker?.terminate();
    this.worker = undefined;
    this.starting = undefined;
    this.outline = undefined;
  }

  private async call(call: Call): Promise<unknown> {
    await this.started();
    return this.send(call);
  }

  private started(): Promise<unknown> {
    this.starting ??= this.start();
    return this.starting;
  }

  private start(): Promise<unknown> {
    const address = URL.createObjectURL(new Blob([this.source], {type: 'text/javascript'}));
    this.worker = new Worker(address);
    URL.revokeObjectURL(address);
    this.worker.addEventListener('message', (event: MessageEvent<Reply>) => this.take(event.data));
    return this.send({name: 'start', wasm: this.wasm.slice().buffer});
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
    this.stop();
    waiting?.reject(new Error(`the simulation has stopped: ${reply.broken}`));
  }
}
