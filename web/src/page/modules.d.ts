// What build.mjs puts into the bundle.
declare module 'vta:worker' {
  /** The worker's source. */
  const source: string;
  export default source;
}
declare module 'vta:wasm' {
  /** The WebAssembly module, compressed by gzip, in base64. */
  const base64: string;
  export default base64;
}
declare module 'vta:presets' {
  /** Shipped configurations and memories: the texts of their files by their names. */
  export const hardware: Record<string, string>;
  export const memories: Record<string, string>;
  /** Shipped networks by their names: what to show of them. */
  export const networks: Record<string, string>;
}
