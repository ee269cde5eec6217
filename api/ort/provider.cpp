#include "api/ort/provider.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "api/ort/context.h"
#include "api/ort/groups.h"
#include "api/ort/model_writer.h"
#include "base/temporary_folder.h"

namespace vta::ort {
namespace {

using Path = std::filesystem::path;

Provider& providerOf(OrtEp* self) { return *static_cast<Provider*>(self); }

/// A folder for files to and from the compiler.
TemporaryFolder makeFolder() {
  auto folder = TemporaryFolder::create("vta-ort");
  if (folder.ok()) return *std::move(folder);
  throw api::Error(VTA_IO_ERROR, folder.status().message());
}

Path writeFile(const Path& file, const std::string& bytes) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream) throw api::Error(VTA_IO_ERROR, fmt::format("cannot write '{}'", file.string()));
  return file;
}

std::string readFile(const Path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  if (!stream) throw api::Error(VTA_IO_ERROR, fmt::format("cannot read '{}'", file.string()));
  return bytes;
}

/// Runs the compiler, and returns what it wrote.
std::string runCompiler(const std::string& model, const std::vector<std::string>& arguments) {
  const TemporaryFolder folder = makeFolder();
  const std::string file = writeFile(folder.path() / "graph.onnx", model);
  const std::string output = folder.path() / "output";
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  vta_compile_options options;
  vta_compile_options_init(&options);
  options.arguments = pointers.data();
  options.argument_count = pointers.size();
  options.output = output.c_str();
  api::detail::check(vta_compile(file.c_str(), &options, nullptr));
  return readFile(output);
}

/// Whether the graph says itself how it is rounded.
bool isQuantized(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const Node& node) {
    return node.op.starts_with("QLinear") || node.op.ends_with("Integer") ||
           node.op.find("QuantizeLinear") != std::string::npos;
  });
}

/// All that the node reads, whether it names it or a graph inside of it does.
std::vector<std::string> readsOf(const Node& node) {
  std::vector<std::string> names = node.inputs;
  names.insert(names.end(), node.implicit_inputs.begin(), node.implicit_inputs.end());
  std::erase(names, "");
  return names;
}

std::vector<std::vector<size_t>> producersOf(const Graph& graph) {
  std::map<std::string, size_t> producer;
  std::vector<std::vector<size_t>> all(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& name : readsOf(graph.nodes[i])) {
      if (const auto found = producer.find(name); found != producer.end()) {
        all[i].push_back(found->second);
      }
    }
    for (const std::string& name : graph.nodes[i].outputs) producer[name] = i;
  }
  return all;
}

/// A value that `node` reads and nodes outside of `group` make, without a fixed shape; or nothing.
std::string openValue(const Graph& graph, size_t node, const std::set<size_t>& group) {
  std::set<std::string> inside;
  for (const size_t member : group) {
    inside.insert(graph.nodes[member].outputs.begin(), graph.nodes[member].outputs.end());
  }
  for (const std::string& name : readsOf(graph.nodes[node])) {
    const bool is_known = inside.contains(name) || graph.constants.contains(name);
    const auto found = graph.values.find(name);
    if (!is_known && (found == graph.values.end() || !found->second.isFixed())) return name;
  }
  return "";
}

}  // namespace

Provider::Provider(const Ort& ort, Options options, const OrtLogger* logger)
    : OrtEp{}, ort_(ort), options_(std::move(options)), logger_(logger) {
  ort_version_supported = ort.version();
  GetName = [](const OrtEp*) noexcept { return kProviderName; };
  GetCapability = [](OrtEp* self, const OrtGraph* graph, OrtEpGraphSupportInfo* support) noexcept {
    return providerOf(self).guardedCapability(graph, support);
  };
  Compile = [](OrtEp* self, const OrtGraph** graphs, const OrtNode** nodes, size_t count,
               OrtNodeComputeInfo** infos, OrtNode** contexts) noexcept {
    Provider& provider = providerOf(self);
    return provider.ort_.guarded([&] {
      std::vector<std::unique_ptr<CompiledGraph>> made;
      for (size_t i = 0; i < count; ++i) {
        const bool keeps = provider.options_.context.is_enabled && contexts != nullptr;
        made.push_back(provider.prepare(readGraph(provider.ort_, graphs[i]), nodes[i],
                                        keeps ? &contexts[i] : nullptr));
      }
      for (size_t i = 0; i < count; ++i) infos[i] = made[i].release();
    });
  };
  ReleaseNodeComputeInfos = [](OrtEp*, OrtNodeComputeInfo** infos, size_t count) noexcept {
    for (size_t i = 0; i < count; ++i) delete static_cast<CompiledGraph*>(infos[i]);
  };
}

OrtStatus* Provider::guardedCapability(const OrtGraph* handle, OrtEpGraphSupportInfo* support) {
  return ort_.guarded([&] {
    const Graph graph = readGraph(ort_, handle);
    // A node with graphs inside is taken as a whole, or left as a whole.
    if (graph.is_nested) return;
    model_inputs_ = {graph.inputs.begin(), graph.inputs.end()};
    takeNodes(graph, support);
  });
}

void Provider::offer(const Graph& graph, const std::vector<size_t>& nodes, bool drops_constants,
                     OrtEpGraphSupportInfo* support) const {
  std::vector<const OrtNode*> handles;
  for (const size_t node : nodes) handles.push_back(graph.nodes[node].handle);
  const OrtNodeFusionOptions options = {ort_.version(), drops_constants};
  ort_.check(ort_.provider().EpGraphSupportInfo_AddNodesToFuse(support, handles.data(),
                                                               handles.size(), &options));
}

void Provider::takeNodes(const Graph& graph, OrtEpGraphSupportInfo* support) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (isOurContext(ort_, graph.nodes[i])) offer(graph, {i}, false, support);
  }
  const auto is_context = [](const Node& node) { return node.isContext(); };
  if (std::ranges::all_of(graph.nodes, is_context)) return;
  warnAboutShapes(graph);
  std::vector<std::string> reasons = reasonsAgainst(graph);
  const std::vector<std::vector<size_t>> producers = producersOf(graph);
  std::vector<std::vector<size_t>> groups;
  for (bool is_stable = false; !is_stable;) {
    is_stable = true;
    std::vector<bool> taken;
    for (const std::string& reason : reasons) taken.push_back(reason.empty());
    groups = convexGroups({producers, taken});
    for (const std::vector<size_t>& group : groups) {
      const std::set<size_t> members(group.begin(), group.end());
      for (const size_t node : group) {
        const std::string open = openValue(graph, node, members);
        if (open.empty()) continue;
        reasons[node] = fmt::format("it reads '{}', whose shape depends on data", open);
        is_stable = false;
      }
    }
  }
  warnAboutRefused(graph, reasons);
  for (const std::vector<size_t>& group : groups) offer(graph, group, true, support);
}

void Provider::warnAboutShapes(const Graph& graph) const {
  for (const std::string& name : graph.inputs) {
    const Value& value = graph.values.at(name);
    if (value.type == 0 || value.isFixed()) continue;
    std::vector<std::string> symbols;
    for (size_t i = 0; value.shape && i < value.shape->size(); ++i) {
      if ((*value.shape)[i] < 0) symbols.push_back(value.symbols[i]);
    }
    ort_.warn(logger_,
              fmt::format("input '{}' has extents without a value ({}), so nodes that read it are "
                          "left to other providers; set them with free dimension overrides, such "
                          "as AddFreeDimensionOverrideByName(options, \"{}\", 1)",
                          name, fmt::join(symbols, ", "),
                          symbols.empty() || symbols[0].empty() ? "batch" : symbols[0]));
  }
}

std::vector<std::string> Provider::reasonsAgainst(const Graph& graph) const {
  std::vector<std::string> reasons(graph.nodes.size());
  const nlohmann::json refused =
      nlohmann::json::parse(runCompiler(writeModel(ort_, graph), {"--list-refused"}));
  for (const auto& node : refused) {
    reasons.at(node.at("index").get<size_t>()) = node.at("reason").get<std::string>();
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    std::vector<std::string> names = readsOf(node);
    names.insert(names.end(), node.outputs.begin(), node.outputs.end());
    for (const std::string& name : names) {
      const bool is_tensor = name.empty() || graph.values.at(name).type != 0;
      if (!is_tensor && reasons[i].empty()) reasons[i] = fmt::format("'{}' is no tensor", name);
    }
  }
  return reasons;
}

void Provider::warnAboutRefused(const Graph& graph, const std::vector<std::string>& reasons) const {
  constexpr size_t kShown = 8;
  std::vector<std::string> lines;
  for (size_t i = 0; i < reasons.size(); ++i) {
    if (reasons[i].empty() || graph.nodes[i].isContext()) continue;
    lines.push_back(fmt::format("{}: {}", graph.nodes[i].label(), reasons[i]));
  }
  if (lines.empty()) return;
  const size_t count = lines.size();
  lines.resize(std::min(count, kShown));
  ort_.warn(logger_,
            fmt::format("{} of {} nodes are left to other providers. {}{}. 'vta-compile "
                        "--list-refused' lists all of a model, and session.disable_cpu_ep_fallback "
                        "makes this an error",
                        count, reasons.size(), fmt::join(lines, "; "),
                        count > kShown ? fmt::format("; and {} more", count - kShown) : ""));
}

std::unique_ptr<CompiledGraph> Provider::prepare(const Graph& graph, const OrtNode* fused,
                                                 OrtNode** context) {
  const auto names = [&](auto count, auto fill) {
    std::vector<std::string> all;
    for (const OrtValueInfo* info : ort_.list<const OrtValueInfo*>(fused, count, fill)) {
      all.emplace_back(info != nullptr ? ort_.get<const char*>(info, ort_->GetValueInfoName) : "");
    }
    return all;
  };
  const auto inputs = names(ort_->Node_GetNumInputs, ort_->Node_GetInputs);
  const auto outputs = names(ort_->Node_GetNumOutputs, ort_->Node_GetOutputs);
  const Path model = ort_.get<const char*>(graph.handle, ort_->Graph_GetModelPath);
  if (graph.nodes.size() == 1 && isOurContext(ort_, graph.nodes[0])) {
    const api::Module module = loadContext(ort_, graph.nodes[0], model);
    return std::make_unique<CompiledGraph>(ort_, module, openSession(module), inputs, outputs);
  }
  const std::string bytes = compile(graph);
  const api::Module module(bytes.data(), bytes.size());
  auto compiled =
      std::make_unique<CompiledGraph>(ort_, module, openSession(module), inputs, outputs);
  if (context != nullptr) {
    const std::string name = ort_.get<const char*>(fused, ort_->Node_GetName);
    *context = makeContext(ort_, {name, inputs, outputs, bytes}, options_.context, model);
  }
  return compiled;
}

std::vector<std::string> Provider::argumentsFor(const Graph& graph) const {
  std::vector<std::string> arguments = options_.arguments;
  const bool reads_model = std::ranges::all_of(
      graph.inputs, [&](const std::string& name) { return model_inputs_.contains(name); });
  const bool is_calibrated = reads_model && !options_.calibration.empty();
  if (is_calibrated) {
    arguments.insert(arguments.end(), options_.calibration.begin(), options_.calibration.end());
  }
  if (is_calibrated || options_.has_partition || isQuantized(graph)) return arguments;
  ort_.warn(
      logger_,
      fmt::format("a graph of {} nodes is computed by the CPU in float, as {}; give option "
                  "'calibrate' typical inputs, or a quantised model, to have it on the VTA",
                  graph.nodes.size(),
                  options_.calibration.empty() ? "nothing says how it is quantised"
                                               : "it reads other values than the model's inputs"));
  arguments.insert(arguments.end(), {"--partition", "cpu"});
  return arguments;
}

std::string Provider::compile(const Graph& graph) const {
  return runCompiler(writeModel(ort_, graph), argumentsFor(graph));
}

api::Session Provider::openSession(const api::Module& module) {
  if (module.hardware().empty()) return api::Session(module, options_.session);
  if (!device_) device_.emplace(module, options_.device);
  return {module, *device_, options_.session};
}

}  // namespace vta::ort
