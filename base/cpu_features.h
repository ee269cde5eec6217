// What a CPU can do beyond its family's baseline.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vta {

/// A family of CPUs that host code is generated for.
enum class CpuFamily { kX86_64, kAArch64, kArm, kOther };

/// The features of a family that code can be built for, by the names that compilers use.
std::span<const std::string_view> cpuFeatureNames(CpuFamily family);

/// Those of `needed` that this machine lacks, and those that this build does not know.
std::vector<std::string> missingCpuFeatures(std::span<const std::string> needed);

}  // namespace vta
