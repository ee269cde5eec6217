// Runs a model with ONNX Runtime on one thread, for scripts/benchmarking/compare_cpu.py: after each line of standard input, which is a
// number of inferences, it prints the processor time that they took, in microseconds.
//
// Usage: node onnxruntime_worker.js FOLDER-OF-THE-PACKAGE MODEL INPUTS
// INPUTS is JSON: for each input its name, type and shape.
"use strict";
const readline = require("readline");

const ARRAYS = { float32: Float32Array, int32: Int32Array, int8: Int8Array, uint8: Uint8Array };

async function main() {
  const [folder, model, inputs] = process.argv.slice(2);
  const runtime = require(folder);
  const session = await runtime.InferenceSession.create(model, {
    executionProviders: ["cpu"], intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: "sequential",
    graphOptimizationLevel: "all", logSeverityLevel: 3,
    extra: { session: { intra_op: { allow_spinning: "0" } } },
  });
  const feeds = {};
  for (const { name, type, shape } of JSON.parse(inputs)) {
    const count = shape.reduce((product, extent) => product * extent, 1);
    const values = type === "int64" ? BigInt64Array.from({ length: count }, (_, i) => BigInt(i % 7))
                                    : ARRAYS[type].from({ length: count }, (_, i) => (i % 17) / 17);
    feeds[name] = new runtime.Tensor(type, values, shape);
  }
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const start = process.cpuUsage();
    for (let i = 0; i < Number(line); ++i) await session.run(feeds);
    const taken = process.cpuUsage(start);
    console.log(taken.user + taken.system);
  }
}

main().catch((error) => {
  console.error(`onnxruntime_worker: error: ${error.message}`);
  process.exit(1);
});
