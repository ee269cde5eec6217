// Consistency of module metadata: used by the parser on what it reads and by tests.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "module/module_info.h"

namespace vta {

/// Arena offsets, constant offsets and host buffers are multiples of this, and the alignments of
/// memories, too; parts of other tensors begin anywhere in them.
inline constexpr uint64_t kModuleAlignmentBytes = 64;
inline constexpr uint64_t kMaxAlignmentBytes = uint64_t{1} << 30;

/// Ok when every index, offset and size of `info` is in range for sections of these sizes;
/// otherwise an error that names the entry.
Status checkModuleInfo(const ModuleInfo& info, uint64_t constants_bytes, uint64_t programs_bytes);

/// The same of what is kept of a text (ModuleInfo::context), where `info` is checked up to its
/// tensors.
Status checkContext(const ModuleInfo& info);

/// More than there are of use: each takes a copy of the metadata when a module is checked.
inline constexpr size_t kMostBuckets = 64;

/// How buckets fit the module and each other, where each is checked by itself: the same inputs and
/// outputs, smaller from bucket to bucket, the same caches, and no step that writes state.
Status checkBuckets(const ModuleInfo& info);

}  // namespace vta
