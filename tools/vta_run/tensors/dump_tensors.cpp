#include "tools/vta_run/tensors/dump_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/numpy/npy.h"
#include "tools/common/file_names.h"
#include "tools/common/files.h"

namespace vta::tools {
namespace {

constexpr size_t kBlockedAxes = 6;  // [N/b][C/blk][H][W][b][blk]
constexpr size_t kMostNameBytes = 120;
constexpr const char* kIndexFile = "tensors.json";

/// Elements in the order of [N, C, H, W].
Tensor unblocked(const Tensor& blocked) {
  const std::vector<int64_t>& s = blocked.shape;
  Tensor plain = Tensor::zeros(blocked.dtype, {s[0] * s[4], s[1] * s[5], s[2], s[3]});
  const auto bytes = static_cast<int64_t>(dtypeBytes(blocked.dtype));
  const std::byte* from = blocked.data.data();
  for (int64_t nb = 0; nb < s[0]; ++nb) {
    for (int64_t cb = 0; cb < s[1]; ++cb) {
      for (int64_t place = 0; place < s[2] * s[3]; ++place) {
        for (int64_t n = 0; n < s[4]; ++n) {
          for (int64_t c = 0; c < s[5]; ++c) {
            const int64_t image = nb * s[4] + n, channel = cb * s[5] + c;
            const int64_t to = (image * plain.shape[1] + channel) * s[2] * s[3] + place;
            std::memcpy(plain.data.data() + to * bytes, from, static_cast<size_t>(bytes));
            from += bytes;
          }
        }
      }
    }
  }
  return plain;
}

/// As many elements as there are bytes for: sizes that depend on data have room for the largest.
Tensor tensorOf(const TensorInfo& info, std::span<const std::byte> bytes) {
  Tensor tensor{info.dtype, info.shape, {bytes.begin(), bytes.end()}};
  const auto elements = static_cast<int64_t>(bytes.size() / dtypeBytes(info.dtype));
  const bool is_known = std::ranges::all_of(info.shape, [](int64_t extent) { return extent >= 0; });
  if (!is_known || tensor.elementCount() != elements) tensor.shape = {elements};
  return tensor.shape.size() == kBlockedAxes ? unblocked(tensor) : tensor;
}

}  // namespace

TensorDump::TensorDump(std::filesystem::path folder, const ModuleInfo& info)
    : folder_(std::move(folder)), info_(info), index_(nlohmann::ordered_json::array()) {
  std::vector<std::string> layers;
  for (const StepInfo& step : info.steps) layers.push_back(info.layers[step.layer].name);
  names_ = fileNamesFor(layers, kMostNameBytes);
}

Result<std::unique_ptr<TensorDump>> TensorDump::create(const std::filesystem::path& folder,
                                                       const ModuleInfo& info) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return ioError(fmt::format("cannot create folder '{}': {}", folder.string(), error.message()));
  }
  return std::unique_ptr<TensorDump>(new TensorDump(folder, info));
}

Status TensorDump::write(const std::string& name, const TensorInfo& tensor,
                         std::span<const std::byte> bytes) {
  return writeFile(folder_ / name, serializeNpy(tensorOf(tensor, bytes)));
}

Status TensorDump::add(const driver::StepResult& result) {
  const StepInfo& step = info_.steps[result.step];
  const TensorInfo& tensor = info_.tensors[result.tensor];
  std::string name = fmt::format("{:03}.{}", result.step, names_[result.step]);
  for (int i = 2; !written_.insert(name).second; ++i) {
    name = fmt::format("{:03}.{}.{}", result.step, names_[result.step], i);
  }
  VTA_RETURN_IF_ERROR(write(name + ".npy", tensor, result.bytes));
  nlohmann::ordered_json row = {{"file", name + ".npy"},
                                {"layer", info_.layers[step.layer].name},
                                {"operator", info_.layers[step.layer].op},
                                {"where", info_.executorOf(step).name},
                                {"tensor", tensor.name}};
  if (!result.expected.empty()) {
    VTA_RETURN_IF_ERROR(write(name + ".expected.npy", tensor, result.expected));
    row["expected"] = name + ".expected.npy";
    row["equal"] = std::ranges::equal(result.bytes, result.expected);
  }
  index_.push_back(std::move(row));
  return writeFile(folder_ / kIndexFile, index_.dump(1) + "\n");
}

}  // namespace vta::tools
