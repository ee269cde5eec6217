#include "module/metadata.h"

#include "module/field_archive.h"
#include "module/metadata_fields.h"
#include "module/module_info_check.h"

namespace vta {
namespace {

struct MetadataFields {
  template <typename Archive, typename T>
  void operator()(Archive& archive, T& value) const {
    metadata::fields(archive, value);
  }
};

/// Reads what `read` calls a reader for, and checks it.
template <typename Read>
Result<ModuleInfo> decode(std::span<const std::byte> bytes, uint64_t constants_bytes,
                          uint64_t programs_bytes, Read read) {
  FieldReader<MetadataFields> reader("module metadata", bytes);
  ModuleInfo info;
  read(reader, info);
  VTA_RETURN_IF_ERROR(reader.finish());
  VTA_RETURN_IF_ERROR(checkModuleInfo(info, constants_bytes, programs_bytes));
  return info;
}

}  // namespace

std::vector<std::byte> encodeMetadata(const ModuleInfo& info) {
  FieldWriter<MetadataFields> writer;
  metadata::moduleFields(writer, info);
  return writer.take();
}

std::vector<std::byte> encodeWithoutBuckets(const ModuleInfo& info) {
  FieldWriter<MetadataFields> writer;
  metadata::fields(writer, info);
  return writer.take();
}

Result<ModuleInfo> decodeMetadata(std::span<const std::byte> bytes, uint64_t constants_bytes,
                                  uint64_t programs_bytes) {
  return decode(bytes, constants_bytes, programs_bytes,
                [](auto& reader, ModuleInfo& info) { metadata::moduleFields(reader, info); });
}

Result<ModuleInfo> decodeWithoutBuckets(std::span<const std::byte> bytes, uint64_t constants_bytes,
                                        uint64_t programs_bytes) {
  return decode(bytes, constants_bytes, programs_bytes,
                [](auto& reader, ModuleInfo& info) { metadata::fields(reader, info); });
}

}  // namespace vta
