#include "explore/sweep/network/outline_text.h"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "base/text/json_reason.h"
#include "explore/tune/task/task_text.h"
#include "module/metadata.h"

namespace vta::sweep {
namespace {

using Json = nlohmann::ordered_json;
using compiler::ModuleOutline;
using compiler::OutlinedKernel;

constexpr uint64_t kAnySize = uint64_t{1} << 62;  // sections are not there

Json kernelJson(const OutlinedKernel& kernel) {
  Json buffers = Json::array();
  for (const auto& [name, tensor] : kernel.buffers) buffers.push_back({name, tensor});
  return {{"layer", kernel.desc.name},
          {"workload", tune::workloadText(kernel.desc)},
          {"step", kernel.step},
          {"buffers", std::move(buffers)},
          {"tensors_before", kernel.tensors_before}};
}

Result<OutlinedKernel> kernelOf(const Json& json) {
  OutlinedKernel kernel;
  VTA_ASSIGN_OR_RETURN(kernel.desc, tune::parseWorkload(json.at("workload").get<std::string>()));
  kernel.desc.name = json.at("layer");
  kernel.step = json.at("step");
  for (const Json& buffer : json.at("buffers")) {
    kernel.buffers.emplace_back(buffer.at(0).get<std::string>(), buffer.at(1).get<uint32_t>());
  }
  kernel.tensors_before = json.at("tensors_before");
  return kernel;
}

/// Kernels name steps and tensors that are there.
Status checkKernel(const OutlinedKernel& kernel, const ModuleInfo& info) {
  bool is_legal = kernel.step < info.steps.size() && kernel.tensors_before <= info.tensors.size();
  for (const auto& [name, tensor] : kernel.buffers) {
    is_legal = is_legal && tensor < info.tensors.size();
  }
  if (is_legal) return {};
  return invalidArgument(fmt::format("an outline whose layer '{}' has no place", kernel.desc.name));
}

/// Programs have no bytes yet; metadata would be refused for that.
ModuleInfo withoutPrograms(const ModuleInfo& info) {
  ModuleInfo bare = info;
  for (ProgramInfo& program : bare.programs) program.variants = {{"", 0, 1}};
  return bare;
}

}  // namespace

std::string encodeOutline(const ModuleOutline& outline) {
  const std::vector<std::byte> info = encodeWithoutBuckets(withoutPrograms(outline.info));
  Json kernels = Json::array();
  for (const OutlinedKernel& kernel : outline.kernels) kernels.push_back(kernelJson(kernel));
  const std::string text = kernels.dump();
  return fmt::format("{}\n", info.size()) +
         std::string(reinterpret_cast<const char*>(info.data()), info.size()) + text;
}

Result<ModuleOutline> decodeOutline(std::string_view bytes) {
  const size_t line = bytes.find('\n');
  if (line == std::string_view::npos || line > 20) return invalidArgument("this is no outline");
  const uint64_t info_bytes =
      std::strtoull(std::string(bytes.substr(0, line)).c_str(), nullptr, 10);
  bytes.remove_prefix(line + 1);
  if (info_bytes > bytes.size()) return invalidArgument("this outline is cut off");
  ModuleOutline outline;
  const auto info = std::as_bytes(std::span(bytes.substr(0, info_bytes)));
  VTA_ASSIGN_OR_RETURN(outline.info, decodeWithoutBuckets(info, kAnySize, kAnySize));
  try {
    for (const Json& json : Json::parse(bytes.substr(info_bytes))) {
      VTA_ASSIGN_OR_RETURN(OutlinedKernel kernel, kernelOf(json));
      VTA_RETURN_IF_ERROR(checkKernel(kernel, outline.info));
      outline.kernels.push_back(std::move(kernel));
    }
  } catch (const nlohmann::json::exception& error) {
    return invalidArgument(fmt::format("this is no outline: {}", jsonReason(error.what())));
  }
  return outline;
}

}  // namespace vta::sweep
