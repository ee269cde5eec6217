// Programs that take long, run without a shell.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace vta::sim {

/// A signal that ends this process ends the programs of runCommand first, so that none is left
/// behind. While an instance is alive, SIGINT, SIGTERM and SIGHUP are held back; its destruction
/// does what they would have done. One at a time has an effect, that of the first.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  bool is_active_;
};

/// Runs `arguments`, the first of which is a program on PATH, in `directory` and waits for it. Its
/// output is added to the file `log`. Errors: it cannot be started; it fails or is stopped by a
/// signal to this process.
Status runCommand(const std::vector<std::string>& arguments, const std::filesystem::path& directory,
                  const std::filesystem::path& log);

}  // namespace vta::sim
