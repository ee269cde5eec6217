// The binary form of GPU programs: their fields in this order. Layout: docs/gpu-backend.md.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <utility>

#include "module/field_archive.h"
#include "module/gpu/gpu_program.h"

namespace vta {
namespace {

constexpr std::array<char, 8> kGpuProgramMagic = {'V', 'T', 'A', 'G', 'P', 'U', 'P', '\0'};
constexpr uint32_t kGpuProgramVersion = 2;

constexpr std::array<std::string_view, kGpuCodeFormCount> kFormNames = {"SPIR-V", "OpenCL C", "PTX",
                                                                        "AMD code object", "WGSL"};
constexpr std::array<std::string_view, 3> kAccessNames = {"read", "write", "read and write"};
constexpr std::array<std::string_view, 3> kSourceNames = {"argument", "scratch", "constants"};

/// T is U or const U: a writer's value or a reader's.
template <typename T, typename U>
concept Like = std::same_as<std::remove_const_t<T>, U>;

/// An access by itself, so that lists of them can be read.
struct AccessField {
  GpuAccess access = GpuAccess::kRead;
};

struct GpuProgramFields {
  template <typename Archive>
  void operator()(Archive& a, Like<AccessField> auto& field) const {
    a.choice("access", field.access, kAccessNames);
  }

  template <typename Archive>
  void operator()(Archive& a, Like<GpuFeatures> auto& features) const {
    uint32_t bits = features.bits();
    a("features", bits);
    if constexpr (!std::is_const_v<std::remove_reference_t<decltype(features)>>) {
      features = GpuFeatures::fromBits(bits);
    }
  }

  template <typename Archive>
  void operator()(Archive& a, Like<GpuLaunch> auto& launch) const {
    a("workgroup_size", launch.workgroup_size);
    a("workgroups", launch.workgroups);
    a("shared_bytes", launch.shared_bytes);
  }

  template <typename Archive>
  void operator()(Archive& a, Like<std::optional<GpuLaunch>> auto& launch) const {
    bool is_own = launch.has_value();
    a("is_own", is_own);
    if (!is_own) return;
    GpuLaunch own = launch.value_or(GpuLaunch{});
    a("launch", own);
    if constexpr (!std::is_const_v<std::remove_reference_t<decltype(launch)>>) launch = own;
  }

  template <typename Archive>
  void operator()(Archive& a, Like<GpuCode> auto& code) const {
    a.choice("form", code.form, kFormNames);
    a("entry_point", code.entry_point);
    a("target", code.target);
    a("features", code.features);
    a("code", code.code);
    a("launch", code.launch);
  }

  template <typename Archive>
  void operator()(Archive& a, Like<GpuKernel> auto& kernel) const {
    a("name", kernel.name);
    a("workgroup_size", kernel.workgroup_size);
    a("shared_bytes", kernel.shared_bytes);
    accesses(a, kernel.bindings);
    a("codes", kernel.codes);
  }

  template <typename Archive>
  void operator()(Archive& a, Like<GpuBinding> auto& binding) const {
    a.choice("source", binding.source, kSourceNames);
    a("argument", binding.argument);
    a("offset_bytes", binding.offset_bytes);
    a("size_bytes", binding.size_bytes);
  }

  template <typename Archive>
  void operator()(Archive& a, Like<GpuDispatch> auto& dispatch) const {
    a("kernel", dispatch.kernel);
    a("workgroups", dispatch.workgroups);
    a("bindings", dispatch.bindings);
  }

  template <typename Archive>
  void operator()(Archive& a, Like<GpuProgram> auto& program) const {
    a("argument_bytes", program.argument_bytes);
    a("scratch_bytes", program.scratch_bytes);
    a("constants", program.constants);
    a("kernels", program.kernels);
    a("dispatches", program.dispatches);
  }

 private:
  template <typename Archive>
  static void accesses(Archive& a, Like<std::vector<GpuAccess>> auto& bindings) {
    std::vector<AccessField> fields;
    for (const GpuAccess access : bindings) fields.push_back({access});
    a("bindings", fields);
    if constexpr (!std::is_const_v<std::remove_reference_t<decltype(bindings)>>) {
      bindings.clear();
      for (const AccessField& field : fields) bindings.push_back(field.access);
    }
  }
};

}  // namespace

std::string_view gpuCodeFormName(GpuCodeForm form) { return kFormNames[static_cast<size_t>(form)]; }

Result<std::vector<std::byte>> serializeGpuProgram(const GpuProgram& program) {
  VTA_RETURN_IF_ERROR(checkGpuProgram(program));
  FieldWriter<GpuProgramFields> writer;
  for (const char c : kGpuProgramMagic) writer("magic", c);
  writer("format_version", kGpuProgramVersion);
  writer("program", program);
  return writer.take();
}

Result<GpuProgram> parseGpuProgram(std::span<const std::byte> bytes) {
  const auto magic = std::as_bytes(std::span(kGpuProgramMagic));
  if (bytes.size() < magic.size() || !std::ranges::equal(bytes.first(magic.size()), magic)) {
    return invalidArgument("not a GPU program");
  }
  FieldReader<GpuProgramFields> reader("GPU program", bytes.subspan(magic.size()));
  uint32_t version = 0;
  reader("format_version", version);
  if (reader.ok() && version != kGpuProgramVersion) {
    return invalidArgument(fmt::format(
        "GPU program of format {}, this runtime reads format {}; compile the model again", version,
        kGpuProgramVersion));
  }
  GpuProgram program;
  reader("program", program);
  VTA_RETURN_IF_ERROR(reader.finish());
  VTA_RETURN_IF_ERROR(checkGpuProgram(program));
  return program;
}

}  // namespace vta
