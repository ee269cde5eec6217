// Runs GPU programs in WGSL with Dawn, the WebGPU of npm's package `webgpu`, on the Vulkan driver of VK_ICD_FILENAMES.
// Each line of the input names a file with a program (webgpu_device.cpp writes it); each line of the output says what
// came of one: "ok", or what is wrong. With --check, a file is a WGSL text and Dawn only checks it, without a driver.
import { create, globals } from "webgpu";
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
Object.assign(globalThis, globals);

const checks = process.argv.includes("--check");
const gpu = create([checks ? "backend=null" : "backend=vulkan"]);  // has to outlive the device
const adapter = await gpu.requestAdapter();
const device = adapter ? await adapter.requestDevice() : null;

async function shaderModule(code) {
  device.pushErrorScope("validation");
  const module = device.createShaderModule({ code });
  const { messages } = await module.getCompilationInfo();
  const error = await device.popErrorScope();
  const errors = messages.filter(({ type }) => type === "error");
  if (errors.length) throw Error(errors.map((m) => `line ${m.lineNum}: ${m.message}`).join("; "));
  if (error) throw Error(error.message);
  return module;
}

async function pipelineOf(kernel) {
  const module = await shaderModule(kernel.code);
  const entries = kernel.bindings.map((_, binding) =>
    ({ binding, visibility: GPUShaderStage.COMPUTE, buffer: { type: "storage" } }));
  const layout = device.createPipelineLayout({ bindGroupLayouts: [device.createBindGroupLayout({ entries })] });
  return device.createComputePipelineAsync({ layout, compute: { module, entryPoint: kernel.entry_point } });
}

// Two bindings of one range, which WebGPU does not allow: those that only read get a copy.
function copiesOf(ranges, accesses, buffers, encoder) {
  return ranges.map((range, i) => {
    const isShared = ranges.some((other, k) => k !== i && other.buffer === range.buffer && other.offset === range.offset);
    const resource = { buffer: buffers[range.buffer], offset: range.offset, size: range.size };
    if (!isShared || accesses[i] !== 0) return resource;
    const copy = device.createBuffer({ size: range.size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST });
    encoder.copyBufferToBuffer(resource.buffer, range.offset, copy, 0, range.size);
    return { buffer: copy };
  });
}

async function run(file) {
  const program = JSON.parse(readFileSync(file, "utf8"));
  const memory = readFileSync(program.memory);
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  device.pushErrorScope("validation");
  const buffers = program.buffers.map(({ offset, size }) => {
    const buffer = device.createBuffer({ size, usage });
    device.queue.writeBuffer(buffer, 0, memory, offset, size);
    return buffer;
  });
  const pipelines = [];
  for (const kernel of program.kernels) pipelines.push(await pipelineOf(kernel));
  const encoder = device.createCommandEncoder();
  for (const dispatch of program.dispatches) {
    const { bindings } = program.kernels[dispatch.kernel];
    const resources = copiesOf(dispatch.ranges, bindings, buffers, encoder);
    const group = device.createBindGroup({
      layout: pipelines[dispatch.kernel].getBindGroupLayout(0),
      entries: resources.map((resource, binding) => ({ binding, resource })),
    });
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipelines[dispatch.kernel]);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(...dispatch.workgroups);
    pass.end();
  }
  const out = device.createBuffer({ size: memory.length, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  program.buffers.forEach(({ offset, size }, i) => encoder.copyBufferToBuffer(buffers[i], 0, out, offset, size));
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  if (error) throw Error(error.message);
  await out.mapAsync(GPUMapMode.READ);
  writeFileSync(program.memory, Buffer.from(out.getMappedRange()));
  [...buffers, out].forEach((buffer) => buffer.destroy());
}

for await (const file of createInterface({ input: process.stdin })) {
  let answer = "ok";
  try {
    if (!device) throw Error("no WebGPU device");
    await (checks ? shaderModule(readFileSync(file, "utf8")) : run(file));
  } catch (error) {
    answer = String(error.message).replaceAll("\n", " ");
  }
  console.log(answer);
}
process.exit(0);
