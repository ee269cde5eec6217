// The machines that LLVM generates code for here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/codegen/llvm/cpu_traits.h"
#include "compiler/codegen/options.h"
#include "llvm/Target/TargetMachine.h"

namespace vta::codegen {

/// A code generator for `target`: empty members are filled in as CodeTarget says; `quality` as in
/// CodeOptions. Error: an unknown or unusable triple, with the known ones.
Result<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(
    const CodeTarget& target, CodeQuality quality = CodeQuality::kFull);

CpuTraits cpuTraits(const llvm::TargetMachine& machine);

/// Those of cpuFeatureNames (base/cpu_features.h) that `machine` generates code for.
std::vector<std::string> cpuFeatures(const llvm::TargetMachine& machine);

}  // namespace vta::codegen
