// A module in this process: checked, its host functions ready to call.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "module/host_abi.h"
#include "module/module_file.h"
#include "module/module_info.h"

namespace vta::driver {

/// Immutable; shared by any number of sessions, on any threads. Spans stay valid as long as it.
class LoadedModule {
 public:
  /// Loads a module's file. Errors: unreadable, not a module, truncated or changed, another format
  /// version, built for another machine or for CPU features that this one lacks, sizes that are
  /// symbolic, a host function missing. Nothing of the file runs before it has passed the checks of
  /// viewModule.
  static Result<std::shared_ptr<const LoadedModule>> load(const std::filesystem::path& path);

  /// Loads a module from its bytes, which are copied. Errors as for load.
  static Result<std::shared_ptr<const LoadedModule>> fromMemory(std::span<const std::byte> elf);

  ~LoadedModule();
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;

  const ModuleInfo& info() const { return info_; }

  /// The configuration that programs were compiled for, of the first VTA executor; null when
  /// nothing runs on a VTA.
  const HwConfig* hw() const { return info_.hw(); }

  std::span<const std::byte> constants() const { return constants_; }
  std::span<const std::byte> programs() const { return programs_; }

  /// Bucket `index` of info().buckets as a module of its own (ModuleInfo::bucketOf), which lives as
  /// long as this one.
  const LoadedModule& bucket(size_t index) const { return *buckets_[index]; }

  /// Host function `index` of info().functions.
  VtaHostFunction function(uint32_t index) const { return functions_[index]; }

  /// The host function `symbol`, null when the module has none of this name.
  VtaHostFunction function(const std::string& symbol) const;

 private:
  LoadedModule() = default;
  Status open(std::span<const std::byte> elf, const std::string& path);
  Status resolve(const ModuleHeader& header);
  void addBuckets();

  /// A file of its own for a module from memory. It stays open: dlopen knows objects by name, and
  /// another module may have this name (the descriptor's number) only once this one is gone.
  int descriptor_ = -1;
  void* handle_ = nullptr;  // from dlopen
  ModuleInfo info_;
  std::span<const std::byte> constants_;
  std::span<const std::byte> programs_;
  std::vector<VtaHostFunction> functions_;                    // by index in info_.functions
  std::vector<std::unique_ptr<const LoadedModule>> buckets_;  // without a handle of their own
};

}  // namespace vta::driver
