#include "api/ort/context.h"

#include <fmt/format.h>

#include <fstream>

namespace vta::ort {
namespace {

using Path = std::filesystem::path;

constexpr const char* kAgain = "compile the original model again, with ep.context_enable";

class Attributes {
 public:
  explicit Attributes(const Ort& ort) : ort_(ort) {}
  ~Attributes() {
    for (OrtOpAttr* attribute : all_) ort_->ReleaseOpAttr(attribute);
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  void text(const char* name, const std::string& value) {
    add(name, value.data(), static_cast<int>(value.size()), ORT_OP_ATTR_STRING);
  }
  void number(const char* name, int64_t value) { add(name, &value, 1, ORT_OP_ATTR_INT); }
  std::vector<OrtOpAttr*>& all() { return all_; }

 private:
  void add(const char* name, const void* data, int length, OrtOpAttrType type) {
    OrtOpAttr* made = nullptr;
    ort_.check(ort_->CreateOpAttr(name, data, length, type, &made));
    all_.push_back(made);
  }

  const Ort& ort_;
  std::vector<OrtOpAttr*> all_;
};

int64_t numberOf(const Ort& ort, const Node& node, const char* name) {
  const OrtOpAttr* attribute = nullptr;
  ort.check(ort->Node_GetAttributeByName(node.handle, name, &attribute));
  int64_t number = 0;
  size_t size = 0;
  if (attribute != nullptr) {
    ort.check(ort->ReadOpAttr(attribute, ORT_OP_ATTR_INT, &number, sizeof(number), &size));
  }
  return number;
}

/// The model with compiled graphs that ONNX Runtime writes.
Path modelOf(const ContextOptions& options, const Path& original) {
  if (!options.file.empty()) return options.file;
  if (original.empty()) {
    throw api::Error(VTA_INVALID_ARGUMENT,
                     "the model has no file to write modules beside; set ep.context_file_path, or "
                     "ep.context_embed_mode to 1");
  }
  Path path = original;
  return path.replace_filename(original.stem().string() + "_ctx.onnx");
}

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> all;
  for (const std::string& text : texts) all.push_back(text.c_str());
  return all;
}

/// The name of the module's file beside `model`, written.
std::string writeBeside(const Path& model, const KeptGraph& graph) {
  const std::string name = fmt::format("{}_{}.vta.so", model.stem().string(), graph.name);
  const Path file = model.parent_path() / name;
  std::ofstream stream(file, std::ios::binary);
  stream.write(graph.module.data(), static_cast<std::streamsize>(graph.module.size()));
  stream.close();
  if (!stream) throw api::Error(VTA_IO_ERROR, fmt::format("cannot write '{}'", file.string()));
  return name;
}

}  // namespace

bool isOurContext(const Ort& ort, const Node& node) {
  return node.isContext() && Graph::textOf(ort, node, "source") == kProviderName;
}

OrtNode* makeContext(const Ort& ort, const KeptGraph& graph, const ContextOptions& options,
                     const Path& model) {
  Attributes attributes(ort);
  attributes.number("main_context", 1);
  attributes.number("embed_mode", options.embeds ? 1 : 0);
  attributes.text("source", kProviderName);
  attributes.text("ep_sdk_version", vta_version());
  attributes.text("partition_name", graph.name);
  attributes.text("ep_cache_context",
                  options.embeds ? graph.module : writeBeside(modelOf(options, model), graph));
  const std::string name = options.prefix + graph.name;
  const auto inputs = pointers(graph.inputs), outputs = pointers(graph.outputs);
  OrtNode* node = nullptr;
  ort.check(ort.editor().CreateNode("EPContext", "com.microsoft", name.c_str(), inputs.data(),
                                    inputs.size(), outputs.data(), outputs.size(),
                                    attributes.all().data(), attributes.all().size(), &node));
  return node;
}

api::Module loadContext(const Ort& ort, const Node& node, const Path& model) {
  const std::string version = Graph::textOf(ort, node, "ep_sdk_version");
  if (version != vta_version()) {
    throw api::Error(VTA_UNSUPPORTED,
                     fmt::format("{} was compiled by version {} of the VTA SDK, and this is {}; {}",
                                 node.label(), version, vta_version(), kAgain));
  }
  const std::string context = Graph::textOf(ort, node, "ep_cache_context");
  if (numberOf(ort, node, "embed_mode") == 1) return {context.data(), context.size()};
  const Path name = context;
  // A model from elsewhere names no files elsewhere.
  if (name.is_absolute() || name != name.filename()) {
    throw api::Error(VTA_INVALID_ARGUMENT,
                     fmt::format("{} names '{}', which is no file beside the model; {}",
                                 node.label(), context, kAgain));
  }
  const Path file = model.parent_path() / name;
  if (std::error_code error; !std::filesystem::exists(file, error)) {
    throw api::Error(VTA_NOT_FOUND, fmt::format("{} needs '{}', which is not there; {}",
                                                node.label(), file.string(), kAgain));
  }
  return api::Module(file.string());
}

}  // namespace vta::ort
