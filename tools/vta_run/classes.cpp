#include "tools/vta_run/classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>
#include <string_view>

#include "tools/common/files.h"
#include "tools/common/print.h"

namespace vta::tools {
namespace {

template <typename T>
void appendAs(const Tensor& tensor, std::vector<double>& out) {
  for (const T value : tensor.as<T>()) out.push_back(static_cast<double>(value));
}

/// Calls visit(line, number) for every line that is not blank, without its line end.
template <typename Visit>
Status forEachLine(const std::string& path, Visit visit) {
  VTA_ASSIGN_OR_RETURN(const std::string file, readTextFile(path));
  std::string_view text = file;
  for (int64_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) VTA_RETURN_IF_ERROR(visit(line, number));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

}  // namespace

std::vector<double> toDoubles(const Tensor& tensor) {
  std::vector<double> out;
  switch (tensor.dtype) {
    case DType::kF32:
      appendAs<float>(tensor, out);
      break;
    case DType::kF64:
      appendAs<double>(tensor, out);
      break;
    case DType::kF16:
    case DType::kBF16:
      appendAs<double>(toFloatType(tensor, DType::kF64), out);
      break;
    case DType::kI8:
      appendAs<int8_t>(tensor, out);
      break;
    case DType::kU8:
    case DType::kBool:
      appendAs<uint8_t>(tensor, out);
      break;
    case DType::kI16:
      appendAs<int16_t>(tensor, out);
      break;
    case DType::kU16:
      appendAs<uint16_t>(tensor, out);
      break;
    case DType::kI32:
      appendAs<int32_t>(tensor, out);
      break;
    case DType::kU32:
      appendAs<uint32_t>(tensor, out);
      break;
    case DType::kI64:
      appendAs<int64_t>(tensor, out);
      break;
    case DType::kU64:
      appendAs<uint64_t>(tensor, out);
      break;
  }
  return out;
}

bool areClasses(const std::vector<int64_t>& shape) {
  const auto is_wide = [](int64_t n) { return n != 1; };
  return std::ranges::count_if(shape, is_wide) == 1 && *std::ranges::find_if(shape, is_wide) > 1;
}

std::vector<ClassScore> topClasses(const Tensor& output, int count) {
  if (!areClasses(output.shape)) return {};
  const std::vector<double> scores = toDoubles(output);
  std::vector<int64_t> order(scores.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto kept = std::min<size_t>(static_cast<size_t>(count), order.size());
  // NaNs compare with nothing: they go last.
  const auto better = [&](int64_t a, int64_t b) {
    const double x = std::isnan(scores[a]) ? -std::numeric_limits<double>::infinity() : scores[a];
    const double y = std::isnan(scores[b]) ? -std::numeric_limits<double>::infinity() : scores[b];
    return x != y ? x > y : a < b;
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<int64_t>(kept), order.end(), better);
  std::vector<ClassScore> top;
  for (size_t i = 0; i < kept; ++i) top.push_back({order[i], scores[order[i]]});
  return top;
}

namespace {

/// The file's name without its folder, and the class, of a line "FILE,CLASS".
std::optional<std::pair<std::string, int64_t>> parseLabel(std::string_view line) {
  const size_t comma = line.rfind(',');
  if (comma == std::string_view::npos || comma == 0) return std::nullopt;
  std::string_view digits = line.substr(comma + 1);
  digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
  const char* end = digits.data() + digits.size();
  int64_t index = 0;
  const auto [rest, error] = std::from_chars(digits.data(), end, index);
  if (error != std::errc() || rest != end || index < 0) return std::nullopt;
  return std::pair(std::filesystem::path(line.substr(0, comma)).filename().string(), index);
}

}  // namespace

Result<std::vector<std::string>> readLabels(const std::string& path) {
  std::vector<std::string> labels;
  VTA_RETURN_IF_ERROR(forEachLine(path, [&](std::string_view line, int64_t number) {
    labels.emplace_back(line);
    if (printable(line) == line) return Status();
    return invalidArgument(
        fmt::format("'{}' is not a text file of names: see line {}", path, number));
  }));
  return labels;
}

Result<std::map<std::string, int64_t>> readLabelsCsv(const std::string& path) {
  constexpr std::string_view kForm = "FILE,CLASS, where CLASS is the number of a class, from 0";
  std::map<std::string, int64_t> labels;
  VTA_RETURN_IF_ERROR(forEachLine(path, [&](std::string_view line, int64_t number) {
    const auto label = parseLabel(line);
    // A first line of titles is no data.
    if (!label && number == 1) return Status();
    if (!label) {
      return invalidArgument(
          fmt::format("{}:{}: '{}' is not {}", path, number, printable(line), kForm));
    }
    const auto [known, is_new] = labels.try_emplace(label->first, label->second);
    if (is_new || known->second == label->second) return Status();
    return invalidArgument(fmt::format("{}:{}: '{}' has class {} and class {}", path, number,
                                       label->first, known->second, label->second));
  }));
  if (labels.empty()) return invalidArgument(fmt::format("'{}' has no line {}", path, kForm));
  return labels;
}

std::optional<int64_t> Scoreboard::labelOf(const std::string& sample) const {
  const auto label = labels_.find(std::filesystem::path(sample).filename().string());
  return label == labels_.end() ? std::nullopt : std::optional(label->second);
}

void Scoreboard::add(const std::string& sample, const std::vector<ClassScore>& top) {
  const std::optional<int64_t> label = labelOf(sample);
  if (!label || top.empty()) return;
  ++scored_;
  top1_ += top[0].index == *label;
  const auto end = top.begin() + static_cast<int64_t>(std::min<size_t>(5, top.size()));
  top5_ +=
      std::any_of(top.begin(), end, [&](const ClassScore& entry) { return entry.index == *label; });
}

void Agreement::add(const std::vector<ClassScore>& top, const std::vector<ClassScore>& other_top) {
  if (top.empty() || other_top.empty()) return;
  ++compared_;
  agreed_ += top[0].index == other_top[0].index;
}

Result<Difference> compareTensors(const Tensor& actual, const Tensor& reference) {
  if (actual.elementCount() != reference.elementCount()) {
    return invalidArgument(fmt::format("the output is {}, the reference {}",
                                       describe(actual.dtype, actual.shape),
                                       describe(reference.dtype, reference.shape)));
  }
  const std::vector<double> a = toDoubles(actual);
  const std::vector<double> b = toDoubles(reference);
  Difference difference;
  difference.count = static_cast<int64_t>(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    const double distance = std::abs(a[i] - b[i]);
    difference.max_abs = std::max(difference.max_abs, distance);
    difference.mean_abs += distance / static_cast<double>(a.size());
    difference.different += a[i] != b[i];
  }
  return difference;
}

}  // namespace vta::tools
