// The fields of a kernel's description, once: the attribute of the IR, the keys of tuning, the
// columns of the data set and the check of sizes are made from these tables.
#pragma once

#include <cstdint>
#include <tuple>

#include "compiler/kernel/desc/kernel_desc.h"

namespace vta::kernel {

/// A size may have any value.
inline constexpr int64_t kNoLeast = INT64_MIN;

/// One member of a struct under its name in texts.
template <typename Struct, typename Member>
struct KernelField {
  const char* key;
  Member Struct::*member;
  int64_t least = kNoLeast;  // of a size: its least legal value
};
template <typename Struct, typename Member>
KernelField(const char*, Member Struct::*, int64_t = kNoLeast) -> KernelField<Struct, Member>;

/// The fields of Geometry, Pool and KernelDesc, in the order of their texts. Empty for types that
/// are no such struct.
template <typename Struct>
inline constexpr std::tuple<> kKernelFields = {};

template <>
inline constexpr std::tuple kKernelFields<Geometry> = {
    KernelField{"batch_blocks", &Geometry::batch_blocks, 1},
    KernelField{"in_channel_blocks", &Geometry::in_channel_blocks, 1},
    KernelField{"out_channel_blocks", &Geometry::out_channel_blocks, 1},
    KernelField{"groups", &Geometry::groups, 1},
    KernelField{"in_height", &Geometry::in_height, 1},
    KernelField{"in_width", &Geometry::in_width, 1},
    KernelField{"out_height", &Geometry::out_height, 1},
    KernelField{"out_width", &Geometry::out_width, 1},
    KernelField{"kernel_height", &Geometry::kernel_height, 1},
    KernelField{"kernel_width", &Geometry::kernel_width, 1},
    KernelField{"stride_y", &Geometry::stride_y, 1},
    KernelField{"stride_x", &Geometry::stride_x, 1},
    KernelField{"dilation_y", &Geometry::dilation_y, 1},
    KernelField{"dilation_x", &Geometry::dilation_x, 1},
    KernelField{"pad_top", &Geometry::pad_top, 0},
    KernelField{"pad_left", &Geometry::pad_left, 0},
    KernelField{"pad_bottom", &Geometry::pad_bottom, 0},
    KernelField{"pad_right", &Geometry::pad_right, 0},
    KernelField{"pad_value", &Geometry::pad_value},
    KernelField{"interleave_y", &Geometry::interleave_y, 1},
    KernelField{"interleave_x", &Geometry::interleave_x, 1},
    KernelField{"phases", &Geometry::phases, 1},
    KernelField{"fold_taps", &Geometry::fold_taps, 1},
    KernelField{"fold_pitch", &Geometry::fold_pitch, 1},
    KernelField{"crop_top", &Geometry::crop_top},
    KernelField{"crop_left", &Geometry::crop_left},
    KernelField{"crop_bottom", &Geometry::crop_bottom},
    KernelField{"crop_right", &Geometry::crop_right},
    KernelField{"border", &Geometry::border}};

template <>
inline constexpr std::tuple kKernelFields<Pool> = {
    KernelField{"out_height", &Pool::out_height},
    KernelField{"out_width", &Pool::out_width},
    KernelField{"kernel_height", &Pool::kernel_height},
    KernelField{"kernel_width", &Pool::kernel_width},
    KernelField{"stride_y", &Pool::stride_y},
    KernelField{"stride_x", &Pool::stride_x},
    KernelField{"pad_top", &Pool::pad_top},
    KernelField{"pad_left", &Pool::pad_left}};

template <>
inline constexpr std::tuple kKernelFields<KernelDesc> = {
    KernelField{"kind", &KernelDesc::kind},
    KernelField{"name", &KernelDesc::name},
    KernelField{"geometry", &KernelDesc::geometry},
    KernelField{"num_params", &KernelDesc::num_params},
    KernelField{"epilogue", &KernelDesc::epilogue},
    KernelField{"weight_layout", &KernelDesc::weight_layout},
    KernelField{"factor_blocks", &KernelDesc::factor_blocks},
    KernelField{"residual", &KernelDesc::residual},
    KernelField{"residual_per_image", &KernelDesc::residual_per_image},
    KernelField{"pool", &KernelDesc::pool},
    KernelField{"bias_exceeds_results", &KernelDesc::bias_exceeds_results},
    KernelField{"small_bias_blocks", &KernelDesc::small_bias_blocks},
    KernelField{"table", &KernelDesc::table}};

/// Calls `visit` with each KernelField of `Struct`, in their order.
template <typename Struct, typename Visit>
constexpr void forEachField(Visit&& visit) {
  std::apply([&](const auto&... fields) { (visit(fields), ...); }, kKernelFields<Struct>);
}

}  // namespace vta::kernel
