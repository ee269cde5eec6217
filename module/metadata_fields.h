// The fields of a module's metadata, in their order: the one list that the binary writer, the
// binary reader and the JSON writer follow. An archive is called with each field's name and value.
#pragma once

#include <array>
#include <concepts>
#include <string_view>
#include <type_traits>

#include "module/hw_config_values.h"
#include "module/module_info.h"

namespace vta::metadata {

/// T is U or const U: a writer's value or a reader's.
template <typename T, typename U>
concept Like = std::same_as<std::remove_const_t<T>, U>;

inline constexpr std::array<std::string_view, 3> kContentsNames = {"activations", "constants",
                                                                   "state"};
inline constexpr std::array<std::string_view, 2> kEntryTableNames = {"functions", "programs"};
inline constexpr std::array<std::string_view, 13> kDTypeNames = {
    "float32", "float64", "int8",   "uint8", "int16",   "uint16",  "int32",
    "uint32",  "int64",   "uint64", "bool",  "float16", "bfloat16"};

template <typename Archive>
void fields(Archive& a, Like<HwConfigValue> auto& value) {
  a("key", value.key);
  a("value", value.value);
}

template <typename Archive>
void fields(Archive& a, Like<HwConfigValues> auto& hw) {
  a("name", hw.name);
  a("values", hw.values);
}

template <typename Archive>
void fields(Archive& a, Like<ExecutorInfo> auto& executor) {
  a("kind", executor.kind);
  a("name", executor.name);
  a.choice("entries", executor.traits.entries, kEntryTableNames);
  a("links_neighbours", executor.traits.links_neighbours);
  a("runs_in_background", executor.traits.runs_in_background);
  a("features", executor.features);
  a("hw", executor.hw);
}

template <typename Archive>
void fields(Archive& a, Like<SpaceInfo> auto& space) {
  a("name", space.name);
  a("executor", space.executor);
  a.choice("contents", space.contents, kContentsNames);
  a("size_bytes", space.size_bytes);
  a("alignment_bytes", space.alignment_bytes);
}

template <typename Archive>
void fields(Archive& a, Like<SizeInfo> auto& size) {
  a("name", size.name);
  a("min", size.min);
  a("max", size.max);
}

template <typename Archive>
void fields(Archive& a, Like<TensorInfo> auto& tensor) {
  a("name", tensor.name);
  a.choice("dtype", tensor.dtype, kDTypeNames);
  a("shape", tensor.shape);
  a("space", tensor.space);
  a("offset_bytes", tensor.offset_bytes);
  a("size_bytes", tensor.size_bytes);
  a("part_of", tensor.part_of);
}

template <typename Archive>
void fields(Archive& a, Like<PortInfo> auto& port) {
  a("name", port.name);
  a("tensor", port.tensor);
  a("count", port.count);
  a("count_axis", port.count_axis);
  a("index_extent", port.index_extent);
}

template <typename Archive>
void fields(Archive& a, Like<ConvolutionInfo> auto& convolution) {
  a("name", convolution.name);
  a("schedule", convolution.schedule);
}

template <typename Archive>
void fields(Archive& a, Like<LayerPartInfo> auto& part) {
  a("name", part.name);
  a("op", part.op);
  a("macs", part.macs);
}

template <typename Archive>
void fields(Archive& a, Like<LayerInfo> auto& layer) {
  a("name", layer.name);
  a("op", layer.op);
  a("where", layer.where);
  a("reason", layer.reason);
  a("macs", layer.macs);
  a("convolutions", layer.convolutions);
  a("parts", layer.parts);
}

template <typename Archive>
void fields(Archive& a, Like<CodeVariant> auto& variant) {
  a("target", variant.target);
  a("offset_bytes", variant.offset_bytes);
  a("size_bytes", variant.size_bytes);
}

template <typename Archive>
void fields(Archive& a, Like<ProgramInfo> auto& program) {
  a("executor", program.executor);
  a("variants", program.variants);
  a("buffers", program.buffers);
}

template <typename Archive>
void fields(Archive& a, Like<StepInfo> auto& step) {
  a("executor", step.executor);
  a("layer", step.layer);
  a("entry", step.entry);
  a("arguments", step.arguments);
  a("num_results", step.num_results);
  a("reference", step.reference);
}

template <typename Archive>
void fields(Archive& a, Like<WaitInfo> auto& wait) {
  a("executor", wait.executor);
  a("count", wait.count);
}

template <typename Archive>
void fields(Archive& a, Like<ActionInfo> auto& action) {
  a("executor", action.executor);
  a("first_step", action.first_step);
  a("step_count", action.step_count);
  a("entry", action.entry);
  a("in_background", action.in_background);
  a("waits", action.waits);
}

template <typename Archive>
void fields(Archive& a, Like<CacheInfo> auto& cache) {
  a("tensor", cache.tensor);
  a("rows", cache.rows);
  a("axis", cache.axis);
}

template <typename Archive>
void fields(Archive& a, Like<ContextInfo> auto& context) {
  a("capacity", context.capacity);
  a("length", context.length);
  a("caches", context.caches);
}

template <typename Archive>
void fields(Archive& a, Like<BucketInfo> auto& bucket) {
  a("inputs", bucket.inputs);
  a("outputs", bucket.outputs);
  a("layers", bucket.layers);
  a("steps", bucket.steps);
  a("actions", bucket.actions);
  a("context", bucket.context);
}

/// Without buckets: what outlines have.
template <typename Archive>
void fields(Archive& a, Like<ModuleInfo> auto& info) {
  a("model", info.model);
  a("sdk_version", info.sdk_version);
  a("target_triple", info.target_triple);
  a("executors", info.executors);
  a("spaces", info.spaces);
  a("sizes", info.sizes);
  a("tensors", info.tensors);
  a("inputs", info.inputs);
  a("outputs", info.outputs);
  a("layers", info.layers);
  a("functions", info.functions);
  a("programs", info.programs);
  a("steps", info.steps);
  a("actions", info.actions);
  a("context", info.context);
}

/// All that a module's file has.
template <typename Archive>
void moduleFields(Archive& a, Like<ModuleInfo> auto& info) {
  fields(a, info);
  a("buckets", info.buckets);
}

}  // namespace vta::metadata
