#include "sim/rtl/model_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/folders/sealed_file.h"

namespace vta::sim {

Result<std::unique_ptr<RtlModel>> RtlModel::open(const std::filesystem::path& library,
                                                 uint32_t random_seed) {
  // Loading runs the library's code, whoever wrote it.
  VTA_RETURN_IF_ERROR(requireOwn(std::filesystem::absolute(library).parent_path()));
  VTA_RETURN_IF_ERROR(requireOwn(library));
  if (!isSealed(library)) {
    return ioError(
        fmt::format("{} is no Verilated model, or damaged; remove it", library.string()));
  }
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return ioError(fmt::format("cannot load the Verilated model: {}", dlerror()));
  }
  using GetApi = const VtaModelApi* (*)();
  const auto get_api = reinterpret_cast<GetApi>(dlsym(handle, "vta_model_api"));
  const VtaModelApi* api = get_api == nullptr ? nullptr : get_api();
  if (api == nullptr || api->abi != VTA_MODEL_ABI) {
    dlclose(handle);
    return ioError(
        fmt::format("{} is no Verilated model of this version; remove it", library.string()));
  }
  return std::unique_ptr<RtlModel>(new RtlModel(handle, api, random_seed));
}

RtlModel::RtlModel(void* library, const VtaModelApi* api, uint32_t random_seed)
    : library_(library), api_(api), model_(api->create(random_seed)), ports_(api->ports(model_)) {}

RtlModel::~RtlModel() {
  api_->destroy(model_);
  dlclose(library_);
}

Status RtlModel::openWaves(const std::filesystem::path& file) {
  if (api_->open_waves(model_, file.c_str()) == 0) return {};
  return ioError(fmt::format("{}: cannot write waveforms", file.string()));
}

Status RtlModel::writeCoverage(const std::filesystem::path& file) {
  if (api_->write_coverage(model_, file.c_str()) == 0) return {};
  return ioError(fmt::format("{}: cannot write coverage", file.string()));
}

}  // namespace vta::sim
