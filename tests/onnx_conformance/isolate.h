// Work in processes of its own, which may crash or hang.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace vta::conformance {

enum class End : uint8_t { kReturned, kCrashed, kHung };

struct IsolatedResult {
  End end = End::kReturned;
  /// What the task returned, or how its process died ("signal 11").
  std::string text;
};

/// Runs every task in a process of its own, `jobs` at a time, and kills those that take longer than
/// `limit_seconds`. `done`, called in this process in the order of completion, gets the task's
/// index. The calling process must not have started threads.
std::vector<IsolatedResult> runIsolated(
    const std::vector<std::function<std::string()>>& tasks, int jobs, double limit_seconds,
    const std::function<void(size_t index, const IsolatedResult& result)>& done = {});

}  // namespace vta::conformance
