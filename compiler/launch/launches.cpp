#include "compiler/launch/launches.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/integer_math.h"
#include "compiler/launch/action_plan.h"
#include "module/module_info_check.h"

namespace vta::compiler {
namespace {

Result<LinkedCode> linkNeighbours(const Linkers& linkers, const ActionInfo& action,
                                  const ModuleInfo& info, std::span<const std::byte> section) {
  const auto linker = linkers.find(action.executor);
  if (linker == linkers.end()) {
    return internalError(fmt::format("nothing links the steps of executor '{}'",
                                     info.executors[action.executor].name));
  }
  return linker->second->link(action, info, section);
}

}  // namespace

CodeVariant appendCode(std::string target, std::span<const std::byte> code,
                       std::vector<std::byte>& section) {
  section.resize(roundUp(section.size(), kModuleAlignmentBytes));
  CodeVariant variant{std::move(target), section.size(), code.size()};
  section.insert(section.end(), code.begin(), code.end());
  return variant;
}

Status addActions(const Linkers& linkers, std::vector<std::byte>& section, ModuleInfo& info) {
  info.actions = planActions(info);
  for (ActionInfo& action : info.actions) {
    if (action.step_count == 1) continue;
    auto linked = linkNeighbours(linkers, action, info, section);
    if (!linked.ok()) {
      const std::string& layer = info.layers[info.steps[action.first_step].layer].name;
      return linked.status().withContext(fmt::format("launch from layer '{}'", layer));
    }
    ProgramInfo program{action.executor, {}, std::move(linked->buffers)};
    for (LinkedCode::Variant& variant : linked->variants) {
      program.variants.push_back(appendCode(std::move(variant.target), variant.bytes, section));
    }
    action.entry = static_cast<uint32_t>(info.programs.size());
    info.programs.push_back(std::move(program));
  }
  return {};
}

}  // namespace vta::compiler
