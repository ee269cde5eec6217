#include "host_cpu/schedule/conv_spec.h"

#include <fmt/format.h>

#include <bit>

namespace vta::codegen::blocked {
namespace {

/// A number as part of a name, without loss.
uint64_t bits(double value) { return std::bit_cast<uint64_t>(value); }

}  // namespace

std::string Activation::key() const {
  switch (kind) {
    case Kind::kNone:
      return "";
    case Kind::kRelu:
      return ".relu";
    case Kind::kClip:
      return fmt::format(".clip_{}_{}", bits(low), bits(high));
    case Kind::kLeakyRelu:
      return fmt::format(".leaky_{}", bits(low));
  }
  return "";
}

}  // namespace vta::codegen::blocked
