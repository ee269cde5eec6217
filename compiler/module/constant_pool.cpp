#include "compiler/module/constant_pool.h"

#include <algorithm>
#include <utility>

#include "module/module_file.h"
#include "module/module_info_check.h"

namespace vta::compiler {

uint64_t ConstantPool::add(std::span<const std::byte> bytes) {
  const uint64_t checksum = moduleHash(bytes);
  const auto [begin, end] = by_checksum_.equal_range(checksum);
  for (auto it = begin; it != end; ++it) {
    const auto known = std::span(section_).subspan(it->second.offset_bytes, it->second.size_bytes);
    if (std::ranges::equal(known, bytes)) return it->second.offset_bytes;
  }
  const uint64_t offset_bytes =
      (section_.size() + kModuleAlignmentBytes - 1) & ~(kModuleAlignmentBytes - 1);
  section_.resize(offset_bytes);
  section_.insert(section_.end(), bytes.begin(), bytes.end());
  by_checksum_.emplace(checksum, Entry{offset_bytes, bytes.size()});
  return offset_bytes;
}

std::vector<std::byte> ConstantPool::take() {
  by_checksum_.clear();
  return std::exchange(section_, {});
}

}  // namespace vta::compiler
