#include "compiler/module/module_writer.h"

#include "compiler/module/data_object.h"
#include "compiler/module/linker.h"
#include "module/metadata.h"
#include "module/module_file.h"
#include "module/module_info_check.h"

namespace vta::compiler {

Result<std::vector<std::byte>> writeModule(const ModuleInfo& info, const ModuleContents& contents) {
  VTA_RETURN_IF_ERROR(checkModuleInfo(info, contents.constants.size(), contents.programs.size()));
  VTA_ASSIGN_OR_RETURN(const ElfTarget target, elfTargetOf(info.target_triple));
  const std::vector<std::byte> data =
      makeDataObject({encodeMetadata(info), contents.constants, contents.programs}, target);
  std::vector<std::span<const std::byte>> objects = {data};
  objects.insert(objects.end(), contents.host_objects.begin(), contents.host_objects.end());
  VTA_ASSIGN_OR_RETURN(std::vector<std::byte> file, linkSharedObject(objects));
  VTA_RETURN_IF_ERROR(stampModule(file));
  return file;
}

}  // namespace vta::compiler
