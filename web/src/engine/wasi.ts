// What the C library of the WebAssembly module asks of an operating system: there is none, and nothing of ours asks.
const NOT_SUPPORTED = 58;
const NAMES = [
  'args_get', 'args_sizes_get', 'clock_res_get', 'clock_time_get', 'environ_get', 'environ_sizes_get', 'fd_close',
  'fd_fdstat_get', 'fd_fdstat_set_flags', 'fd_filestat_get', 'fd_prestat_dir_name', 'fd_prestat_get', 'fd_read',
  'fd_seek', 'fd_write', 'path_filestat_get', 'path_open', 'path_readlink', 'path_unlink_file', 'poll_oneoff',
  'random_get', 'sched_yield',
];

/** The imports `wasi_snapshot_preview1`: every call says that it is not supported. */
export function makeWasi(): Record<string, () => number> {
  const wasi: Record<string, () => number> = Object.fromEntries(NAMES.map((name) => [name, () => NOT_SUPPORTED]));
  wasi.proc_exit = () => {
    throw new Error('the WebAssembly module has stopped');
  };
  return wasi;
}
