// The WebAssembly module: texts in and out.
import type {Description, Effort, Estimate, Failure, Hardware, Steps} from './answers';
import {makeWasi} from './wasi';
import {parseYaml} from './yaml_tree';

interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  vta_input(bytes: number): number;
  vta_yaml_answer(bytes: number): number;
  vta_use_network(): void;
  vta_answer(): void;
  vta_output(): number;
  vta_output_bytes(): number;
}

/** One instance. After an exception it is broken: make another one. */
export class Engine {
  private readonly exports: Exports;

  private constructor(module: WebAssembly.Module) {
    const imports = {
      wasi_snapshot_preview1: makeWasi(),
      page: {parse_yaml: (text: number, bytes: number) => this.answerYaml(text, bytes)},
    };
    this.exports = new WebAssembly.Instance(module, imports).exports as unknown as Exports;
    this.exports._initialize();
  }

  static async create(wasm: BufferSource): Promise<Engine> {
    return new Engine(await WebAssembly.compile(wasm));
  }

  /** Later estimates are for the network with this outline. */
  useNetwork(outline: Uint8Array): Failure | Record<string, never> {
    this.write(outline, this.exports.vta_input(outline.length));
    this.exports.vta_use_network();
    return JSON.parse(this.output());
  }

  describe(): Description {
    return this.ask({ask: 'describe'}) as Description;
  }

  hardware(yaml: string): Hardware | Failure {
    return this.ask({ask: 'hardware', yaml}) as Hardware | Failure;
  }

  estimate(yaml: string, memory: string, effort: Effort): Estimate | Failure {
    return this.ask({ask: 'estimate', yaml, memory, effort}) as Estimate | Failure;
  }

  /** Answers a request of web/estimate/requests.h. */
  ask(request: object): unknown {
    const bytes = new TextEncoder().encode(JSON.stringify(request));
    this.write(bytes, this.exports.vta_input(bytes.length));
    this.exports.vta_answer();
    return JSON.parse(this.output());
  }

  example(yaml: string, virtual_threads: 1 | 2): {assembler: string} | Failure {
    return this.ask({ask: 'example', yaml, virtual_threads}) as {assembler: string} | Failure;
  }

  steps(yaml: string, memory: string, assembler: string): Steps | Failure {
    return this.ask({ask: 'steps', yaml, memory, assembler}) as Steps | Failure;
  }

  private answerYaml(text: number, bytes: number) {
    const source = new TextDecoder().decode(new Uint8Array(this.exports.memory.buffer, text, bytes));
    const answer = new TextEncoder().encode(JSON.stringify(parseYaml(source)));
    this.write(answer, this.exports.vta_yaml_answer(answer.length));
  }

  private write(bytes: Uint8Array, address: number) {
    new Uint8Array(this.exports.memory.buffer).set(bytes, address);
  }

  private output(): string {
    const bytes = this.exports.vta_output_bytes();
    return new TextDecoder().decode(new Uint8Array(this.exports.memory.buffer, this.exports.vta_output(), bytes));
  }
}
