// What build.mjs puts into the bundle.
declare module 'vta:presets' {
  /** Shipped configurations and memories: the texts of their files by their names. */
  export const hardware: Record<string, string>;
  export const memories: Record<string, string>;
  /** Shipped networks by their names: what to show of them. */
  export const networks: Record<string, string>;
}
