#include "compiler/kernel/desc/schedule.h"

#include <fmt/format.h>

#include <iterator>

namespace vta::kernel {
namespace {

using Field = ScheduleField;

// Accessors of one member, whatever its type.
template <auto member>
constexpr int64_t read(const Schedule& schedule) {
  return static_cast<int64_t>(schedule.*member);
}
template <auto member>
constexpr void write(Schedule& schedule, int64_t value) {
  auto& field = schedule.*member;
  field = static_cast<std::remove_reference_t<decltype(field)>>(value);
}

template <auto member>
constexpr Field number(const char* key, const char* label, int64_t least, int64_t most) {
  return {.key = key,
          .label = label,
          .kind = Field::Kind::kNumber,
          .get = read<member>,
          .set = write<member>,
          .least = least,
          .most = most};
}

// A size of a tile, which an extent of the kernel limits.
template <auto member>
constexpr Field size(const char* key, const char* label, int64_t least,
                     int64_t (*extent)(const Geometry&)) {
  Field field = number<member>(key, label, least, Field::kNoLimit);
  field.extent = extent;
  return field;
}

template <auto member>
constexpr Field flag(const char* key, const char* label, std::array<const char*, 2> labels) {
  Field field = number<member>(key, label, 0, 1);
  field.kind = Field::Kind::kFlag;
  field.names = {"false", "true"};
  field.labels = labels;
  return field;
}

template <auto member>
constexpr Field choice(const char* key, std::array<const char*, 2> names) {
  Field field = number<member>(key, key, 0, 1);
  field.kind = Field::Kind::kChoice;
  field.names = field.labels = names;
  return field;
}

constexpr Field joined(Field field) {
  field.joins_previous = true;
  return field;
}

constexpr Field kFields[] = {
    size<&Schedule::tile_height>("tile_height", "h", 1,
                                 [](const Geometry& g) { return g.out_height; }),
    size<&Schedule::tile_width>("tile_width", "w", 1,
                                [](const Geometry& g) { return g.out_width; }),
    size<&Schedule::tile_out_blocks>("tile_out_blocks", "oc", 1,
                                     [](const Geometry& g) { return g.out_channel_blocks; }),
    size<&Schedule::tile_in_blocks>("tile_in_blocks", "ic", 1,
                                    [](const Geometry& g) { return g.inBlocksPerGroup(); }),
    size<&Schedule::tile_kernel_height>("tile_kernel_height", "kh", 0,
                                        [](const Geometry& g) { return g.kernel_height; }),
    joined(size<&Schedule::tile_kernel_width>("tile_kernel_width", "kw", 0,
                                              [](const Geometry& g) { return g.kernel_width; })),
    number<&Schedule::virtual_threads>("virtual_threads", "vt", 1, 2),
    choice<&Schedule::order>("order", {"weights_inner", "weights_outer"}),
    flag<&Schedule::int8_through_gemm>("int8_through_gemm", "int8", {"acc_8bit", "gemm"}),
    flag<&Schedule::skip_padding>("skip_padding", "pad", {"load", "skip"}),
};

// Does not compile when a field of Schedule is missing from the table.
[[maybe_unused]] constexpr size_t countFields(const Schedule& schedule) {
  [[maybe_unused]] const auto& [height, width, out_blocks, in_blocks, kernel_height, kernel_width,
                                threads, order, int8_through_gemm, skip_padding] = schedule;
  return 10;
}
static_assert(std::size(kFields) == countFields({}));

}  // namespace

std::span<const ScheduleField> scheduleFields() { return kFields; }

std::string Schedule::toString() const {
  std::string text;
  for (const Field& field : kFields) {
    const int64_t value = field.get(*this);
    if (!text.empty()) text += ' ';
    if (field.kind == Field::Kind::kNumber) {
      text += fmt::format("{}={}", field.label, value);
    } else {
      text += fmt::format("{}={}", field.label, field.labels[static_cast<size_t>(value)]);
    }
  }
  return text;
}

int countDifferences(const Schedule& a, const Schedule& b) {
  int decisions = 0;
  bool differs = false;  // the decision that is being looked at
  for (const Field& field : kFields) {
    if (!field.joins_previous) differs = false;
    if (differs || field.get(a) == field.get(b)) continue;
    differs = true;
    ++decisions;
  }
  return decisions;
}

}  // namespace vta::kernel
