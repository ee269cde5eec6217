// SessionMemory: where a session's tensors live, in the memory of each machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "driver/memory_device.h"
#include "driver/runtime/loaded_module.h"
#include "driver/runtime/memory/copy_plan.h"

namespace vta::driver {

/// The memories of one session of `module`. Each of the module's spaces has a copy in every memory
/// that needs one: that of its executor, and those of other machines that use its tensors. Where
/// the host reaches the memory of a space's executor, that is the host's copy, too.
class SessionMemory {
 public:
  struct Layout {
    std::vector<MemoryDevice*> memories;    // the first is the host's
    std::vector<uint32_t> of_executors;     // by executor: the number of its memory
    std::vector<std::vector<bool>> places;  // as CopyPlan::places
  };

  /// Allocates everything and copies constants to where they are used. The memories must outlive
  /// the result. Errors: those of the memories; not enough of the host's.
  static Result<std::unique_ptr<SessionMemory>> create(const LoadedModule& module, Layout layout);

  /// Where the host has tensor `index`. Constants must not be written through it.
  std::byte* hostPointer(uint32_t index) const;

  /// The address of a tensor that has a place in `memory`, as its machine sees it; else 0.
  uint64_t addressIn(uint32_t memory, uint32_t tensor) const { return addresses_[memory][tensor]; }

  /// Copies between the host and another memory, where `range` has a place.
  Status fromHost(uint32_t memory, const SpaceRange& range);
  Status toHost(uint32_t memory, const SpaceRange& range);

  /// Those of `network`: the module, or one of its buckets.
  void copyInputs(const ModuleInfo& network, const TensorMap& inputs);
  /// Errors: a counted output with more than there is room for.
  Result<TensorMap> copyOutputs(const ModuleInfo& network) const;

  /// Makes everything that lives from run to run zeros again, in every memory.
  Status clearState();
  /// The newest values of what lives from run to run, and their return to every memory.
  Result<std::vector<std::byte>> saveState(std::span<const StatePlace> places);
  Status restoreState(std::span<const StatePlace> places, std::span<const std::byte> state);
  /// Writes a part of what lives from run to run, to every memory that has a place for some of it.
  Status writeState(const SpaceRange& range, std::span<const std::byte> bytes);

 private:
  /// What one memory has of one space: the bytes from `begin_bytes` on.
  struct Copy {
    OwnedDeviceBuffer buffer;  // of size 0: none
    uint64_t begin_bytes = 0;
    std::byte* view = nullptr;  // of its first byte, for the host
    /// The address of a range that lies inside.
    uint64_t addressOf(const SpaceRange& range) const {
      return buffer.get().address + range.offset_bytes - begin_bytes;
    }
    bool exists() const { return buffer.get().size_bytes > 0; }
  };

  SessionMemory(const LoadedModule& module, Layout layout);
  uint32_t homeOf(uint32_t space) const {
    return layout_.of_executors[info_.spaces[space].executor];
  }
  Status addSpace(uint32_t space);
  SpaceRange usedRange(uint32_t memory, uint32_t space) const;
  Status allocate(uint32_t memory, const SpaceRange& range);
  Status uploadConstants(const LoadedModule& module, uint32_t memory, uint32_t space);
  Status uploadTensors(const LoadedModule& module, uint32_t memory, uint32_t space,
                       std::span<const uint32_t> tensors);
  void findAddresses(uint32_t memory, uint32_t space);
  /// The host's copy is the memory itself.
  bool isHostView(uint32_t memory, uint32_t space) const;
  std::byte* hostBytes(const SpaceRange& range) const;

  const ModuleInfo& info_;
  Layout layout_;
  std::byte* constants_;                   // of the module
  std::vector<std::vector<Copy>> copies_;  // by memory and space; not of constants
  std::vector<OwnedDeviceBuffer> constant_copies_;
  std::vector<uint32_t> host_views_;              // by space: whose copy the host uses
  std::vector<std::vector<uint64_t>> addresses_;  // by memory and tensor
};

/// The addresses of one machine.
class TensorPlaces {
 public:
  TensorPlaces(const SessionMemory& all, uint32_t memory) : all_(&all), memory_(memory) {}

  uint64_t address(uint32_t tensor) const { return all_->addressIn(memory_, tensor); }
  std::byte* hostPointer(uint32_t tensor) const { return all_->hostPointer(tensor); }

 private:
  const SessionMemory* all_;
  uint32_t memory_;
};

}  // namespace vta::driver
