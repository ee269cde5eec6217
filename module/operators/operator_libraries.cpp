#include "module/operators/operator_libraries.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace vta {
namespace {

constexpr std::string_view kFeaturePrefix = "operator:";
constexpr size_t kMessageBytes = 256;
/// More elements have no place in a module.
constexpr int64_t kMostElements = int64_t{1} << 40;

std::string_view defaultDomain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view() : domain;
}

class Registry {
 public:
  static Registry& get() {
    static Registry registry;
    return registry;
  }

  Status load(const std::filesystem::path& path) {
    std::error_code error;
    // dlopen searches for names without a slash.
    const std::filesystem::path absolute = std::filesystem::absolute(path, error);
    if (error || !std::filesystem::exists(absolute, error)) {
      return notFound(fmt::format("there is no file '{}'", path.string()));
    }
    const std::lock_guard lock(mutex_);
    void* handle = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return invalidArgument(fmt::format("cannot load it: {}", dlerror()));
    if (handles_.contains(handle)) {
      dlclose(handle);
      return {};
    }
    const Status status = add(handle, absolute.string());
    if (status.ok()) {
      handles_.insert(handle);
    } else {
      dlclose(handle);
    }
    return status;
  }

  const vta_operator* find(std::string_view domain, std::string_view name) {
    const std::lock_guard lock(mutex_);
    const auto found = operators_.find(operatorName(defaultDomain(domain), name));
    return found == operators_.end() ? nullptr : found->second.own;
  }

 private:
  struct Known {
    const vta_operator* own;
    std::string file;
  };

  Status add(void* handle, const std::string& file) {
    using Entry = const vta_operator_library* (*)();
    const auto entry = reinterpret_cast<Entry>(dlsym(handle, "vta_operators"));
    if (entry == nullptr) {
      return invalidArgument("it exports no function vta_operators (vta/operator.h)");
    }
    const vta_operator_library* library = entry();
    if (library == nullptr) return invalidArgument("its vta_operators returns a null pointer");
    if (library->api_version != VTA_OPERATOR_API_VERSION) {
      return unsupported(
          fmt::format("it was written for version {} of vta/operator.h, this program has version "
                      "{}; compile it with the header of this program",
                      library->api_version, VTA_OPERATOR_API_VERSION));
    }
    std::map<std::string, Known> added;
    for (size_t i = 0; i < library->operator_count; ++i) {
      const vta_operator& own = library->operators[i];
      if (own.domain == nullptr || own.name == nullptr || own.name[0] == '\0' ||
          own.infer == nullptr || own.compute == nullptr) {
        return invalidArgument(
            fmt::format("its operator {} has no name, or lacks a function: each has domain, name, "
                        "infer and compute",
                        i));
      }
      const std::string name = operatorName(defaultDomain(own.domain), own.name);
      const auto known = operators_.find(name);
      if (known != operators_.end()) {
        return invalidArgument(
            fmt::format("its operator {} is already known from '{}'", name, known->second.file));
      }
      if (!added.try_emplace(name, Known{&own, file}).second) {
        return invalidArgument(fmt::format("it has two operators {}", name));
      }
    }
    operators_.merge(added);
    return {};
  }

  std::mutex mutex_;
  std::set<void*> handles_;
  std::map<std::string, Known> operators_;  // by operatorName
};

/// A node as a library sees it, with the memory for that.
class Call {
 public:
  explicit Call(const OperatorNode& node) {
    numbers_.reserve(node.attributes.size());
    for (const OperatorAttribute& attribute : node.attributes) addAttribute(attribute);
    for (const OperatorTensor& input : node.inputs) inputs_.push_back(tensorOf(input));
    for (const OperatorTensor& output : node.outputs) outputs_.push_back(tensorOf(output));
    call_ = {node.node.c_str(), attributes_.size(), attributes_.data(),
             inputs_.size(),    inputs_.data(),     outputs_.size(),
             outputs_.data(),   message_.data(),    message_.size()};
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  vta_operator_call& get() { return call_; }
  std::vector<vta_operator_tensor>& inputs() { return inputs_; }
  std::vector<vta_operator_tensor>& outputs() { return outputs_; }

  /// The error for what a function has returned.
  Status failed(const vta_operator& own, int code) {
    message_.back() = '\0';
    const std::string_view text = message_.data();
    return invalidArgument(fmt::format(
        "{} of its library says: {}", operatorName(defaultDomain(own.domain), own.name),
        text.empty() ? fmt::format("error {}, without a message", code) : std::string(text)));
  }

 private:
  void addAttribute(const OperatorAttribute& attribute) {
    std::vector<float>& floats = numbers_.emplace_back();
    for (const uint32_t bits : attribute.floats) floats.push_back(std::bit_cast<float>(bits));
    const auto kind = static_cast<vta_operator_attribute_kind>(attribute.kind);
    const size_t count = kind == VTA_OPERATOR_INTEGERS ? attribute.integers.size()
                         : kind == VTA_OPERATOR_FLOATS ? floats.size()
                                                       : attribute.text.size();
    attributes_.push_back({attribute.name.c_str(), kind, count, attribute.integers.data(),
                           floats.data(), attribute.text.c_str()});
  }

  static vta_operator_tensor tensorOf(const OperatorTensor& tensor) {
    vta_operator_tensor made{};
    made.dtype =
        tensor.is_absent ? VTA_OPERATOR_ABSENT : static_cast<vta_operator_dtype>(tensor.dtype);
    made.rank = static_cast<uint32_t>(tensor.shape.size());
    std::ranges::copy(tensor.shape, made.shape);
    return made;
  }

  std::vector<std::vector<float>> numbers_;
  std::vector<vta_operator_attribute> attributes_;
  std::vector<vta_operator_tensor> inputs_, outputs_;
  std::array<char, kMessageBytes> message_{};
  vta_operator_call call_{};
};

Status checkRanks(const OperatorNode& node) {
  for (const OperatorTensor& input : node.inputs) {
    if (input.shape.size() <= VTA_OPERATOR_MAX_RANK) continue;
    return unsupported(fmt::format("an input has {} dimensions; own operators take at most {}",
                                   input.shape.size(), VTA_OPERATOR_MAX_RANK));
  }
  return {};
}

/// What `infer` has made of output `index`.
Result<OperatorTensor> outputOf(const vta_operator_tensor& output, size_t index) {
  if (output.dtype < VTA_OPERATOR_FLOAT32 || output.dtype > VTA_OPERATOR_BOOL ||
      output.rank > VTA_OPERATOR_MAX_RANK) {
    return invalidArgument(fmt::format(
        "its library gives output {} the type {} and {} dimensions; types are 0 to {}, dimensions "
        "at most {}",
        index, static_cast<int>(output.dtype), output.rank, static_cast<int>(VTA_OPERATOR_BOOL),
        VTA_OPERATOR_MAX_RANK));
  }
  OperatorTensor made{.dtype = static_cast<DType>(output.dtype),
                      .shape = {output.shape, output.shape + output.rank}};
  int64_t elements = 1;
  for (const int64_t extent : made.shape) {
    if (extent < 0 || (extent > 0 && elements > kMostElements / extent)) {
      return invalidArgument(
          fmt::format("its library gives output {} the shape {}; extents are 0 or more, elements "
                      "at most 2^40",
                      index, describe(made.dtype, made.shape)));
    }
    elements *= std::max<int64_t>(extent, 1);
  }
  return made;
}

}  // namespace

Status loadOperatorLibrary(const std::filesystem::path& path) {
  return Registry::get().load(path).withContext(fmt::format("operators of '{}'", path.string()));
}

const vta_operator* findOwnOperator(std::string_view domain, std::string_view name) {
  return Registry::get().find(domain, name);
}

Status inferOwnOperator(const vta_operator& own, OperatorNode& node,
                        std::span<const std::byte* const> constants) {
  VTA_RETURN_IF_ERROR(checkRanks(node));
  for (OperatorTensor& output : node.outputs) output = {.is_absent = true};
  Call call(node);
  for (size_t i = 0; i < constants.size(); ++i) {
    call.inputs()[i].data = const_cast<std::byte*>(constants[i]);
  }
  if (const int code = own.infer(&call.get()); code != 0) return call.failed(own, code);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    VTA_ASSIGN_OR_RETURN(node.outputs[i], outputOf(call.outputs()[i], i));
  }
  return {};
}

Status computeOwnOperator(const OperatorNode& node, void* const* arguments) {
  const vta_operator* own = findOwnOperator(node.domain, node.name);
  if (own == nullptr) {
    return unsupported(fmt::format("no library that is loaded has the operator {}",
                                   operatorName(node.domain, node.name)));
  }
  Call call(node);
  const auto place = [&arguments](const std::vector<OperatorTensor>& types,
                                  std::vector<vta_operator_tensor>& tensors) {
    for (size_t i = 0; i < types.size(); ++i) {
      if (types[i].elementCount() > 0) tensors[i].data = *arguments++;
    }
  };
  place(node.inputs, call.inputs());
  place(node.outputs, call.outputs());
  const int code = own->compute(&call.get());
  return code == 0 ? Status() : call.failed(*own, code);
}

std::string featureOfOperator(std::string_view domain, std::string_view name) {
  return fmt::format("{}{}:{}", kFeaturePrefix, domain, name);
}

bool isOperatorFeature(std::string_view feature) { return feature.starts_with(kFeaturePrefix); }

std::vector<std::string> missingOperators(std::span<const std::string> features) {
  std::vector<std::string> missing;
  for (std::string_view feature : features) {
    if (!isOperatorFeature(feature)) continue;
    feature.remove_prefix(kFeaturePrefix.size());
    const size_t colon = feature.rfind(':');
    const std::string_view domain = feature.substr(0, colon), name = feature.substr(colon + 1);
    if (findOwnOperator(domain, name) == nullptr) missing.push_back(operatorName(domain, name));
  }
  return missing;
}

}  // namespace vta
