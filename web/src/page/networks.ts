// Shipped networks: a script for each, which the page loads when the network is chosen.
import {decompress, fromBase64} from './bytes';

/** What web/outlines/make.py writes: column i is for accelerator i. An outline is its head, whose bytes are characters
 * from 256 on, and then its kernels as a JSON array. */
interface Packed {
  accelerators: string[];
  heads: (string | null)[][];
  kernels: (string | null)[][];
}

/** A network's outlines, by the text of the accelerators that they are for. */
export type Outlines = Map<string, Uint8Array>;

declare global {
  interface Window {
    /** Called by the scripts in networks/: gzip in base64 of what Packed says. */
    vtaNetwork?: (name: string, packed: string) => void;
  }
}

const packed = new Map<string, string>();
const known = new Map<string, Promise<Outlines>>();

function loadScript(name: string): Promise<string> {
  window.vtaNetwork = (network, text) => packed.set(network, text);
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `networks/${name}.js`;
    script.addEventListener('load', () => {
      const text = packed.get(name);
      if (text === undefined) reject(new Error(`networks/${name}.js holds no network: build the page again`));
      else resolve(text);
    });
    script.addEventListener('error', () => {
      known.delete(name);
      reject(new Error(`networks/${name}.js cannot be read: the page needs the folder that it came with`));
    });
    document.head.append(script);
  });
}

function outlineAt({heads, kernels}: Packed, i: number): Uint8Array {
  const columnOf = (rows: (string | null)[][]) => rows.map((row) => row[i]).filter((cell) => typeof cell === 'string');
  const head = Uint8Array.from(columnOf(heads).join(''), (character) => character.charCodeAt(0) - 256);
  const tail = new TextEncoder().encode(`[${columnOf(kernels).join(',')}]`);
  const outline = new Uint8Array(head.length + tail.length);
  outline.set(head);
  outline.set(tail, head.length);
  return outline;
}

async function load(name: string): Promise<Outlines> {
  const text = new TextDecoder().decode(await decompress(fromBase64(await loadScript(name))));
  const network = JSON.parse(text) as Packed;
  return new Map(network.accelerators.map((accelerator, i) => [accelerator, outlineAt(network, i)]));
}

/** The outlines of a shipped network. Rejected, with the remedy, where its script is not there. */
export function outlinesOf(name: string): Promise<Outlines> {
  const found = known.get(name);
  if (found) return found;
  const loading = load(name);
  known.set(name, loading);
  return loading;
}

// What outlines are found by (explore/sweep/network/outline_key.h): extensions and widths, then the array.
const ARRAY = /^(.*) batch=(\d+) block_in=(\d+) block_out=(\d+) /;

/** The arrays that a network is prepared for with the extensions and widths of `accelerator`: "1x16x32". */
export function arraysFor(outlines: Outlines, accelerator: string): string[] {
  const wanted = ARRAY.exec(accelerator)?.[1];
  const fitting = [...outlines.keys()].map((key) => ARRAY.exec(key)).filter((found) => found?.[1] === wanted);
  return [...new Set(fitting.map((found) => found?.slice(2).join('x') ?? ''))];
}
