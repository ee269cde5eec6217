// How long phases tell their caller how far they are.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace vta::compiler {

/// Called at the start of each phase and repeatedly within long ones; `done` of `total` steps. May
/// be empty: then nobody wants to know.
using Progress = std::function<void(const std::string& phase, int64_t done, int64_t total)>;

}  // namespace vta::compiler
