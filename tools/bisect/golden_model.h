// What a launch image has to become, by the functional model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "sim/functional/functional_model.h"
#include "tools/bisect/launch_image.h"

namespace vta::driver {

class GoldenModel {
 public:
  /// `image` must outlive the model. Errors: those of FunctionalModel::create.
  static Result<std::unique_ptr<GoldenModel>> create(const LaunchImage& image);

  /// The memory after the first `count` instructions, one after the other, on empty scratchpads.
  /// Errors: an instruction that is a fault.
  Status run(std::span<const std::byte> before, uint32_t count);

  const std::vector<std::byte>& memory() const { return memory_; }

  /// The 32-bit lanes of all elements of ACC.
  std::vector<int32_t> accumulators() const;

  /// The STORE among the instructions that writes the byte at `offset` last, of those that the last
  /// run did; -1 when none does.
  int64_t storeOf(uint64_t offset) const;

 private:
  GoldenModel(const LaunchImage& image, std::unique_ptr<sim::FunctionalModel> model)
      : image_(image), model_(std::move(model)) {}

  const LaunchImage& image_;
  std::unique_ptr<sim::FunctionalModel> model_;
  std::vector<std::byte> memory_;
};

}  // namespace vta::driver
