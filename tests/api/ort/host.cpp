// vta-ort-host: runs models in an ONNX Runtime that the test names, with the execution provider.
//
// Usage: vta-ort-host LIBONNXRUNTIME LIBVTA_ORT
// Reads a list of jobs, as JSON, and writes the list of what became of them:
//   job:    {"model", "provider": true, "options": {}, "config": {}, "dimensions": {}, "runs": 1,
//            "inputs": [{"name", "type", "shape", "file"}], "folder"}
//   answer: {"outputs": [{"name", "type", "shape", "file"}], "nodes": {PROVIDER: [[OPERATOR]]}} or
//   {"error"}
// Types are those of ONNX; files hold the elements alone.
#include <dlfcn.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "api/ort/ort.h"

namespace vta::ort {
namespace {

using nlohmann::json;

std::string readFile(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class Host {
 public:
  Host(const OrtApiBase& base, const char* plugin) : ort_(base), env_(makeEnv()) {
    ort_.check(ort_->RegisterExecutionProviderLibrary(env_.get(), "vta", plugin));
    const OrtEpDevice* const* devices = nullptr;
    size_t count = 0;
    ort_.check(ort_->GetEpDevices(env_.get(), &devices, &count));
    for (size_t i = 0; i < count; ++i) {
      if (std::string(ort_->EpDevice_EpName(devices[i])) == kProviderName) device_ = devices[i];
    }
    if (device_ == nullptr) throw api::Error(VTA_NOT_FOUND, "the provider has no device");
  }
  ~Host() {
    if (OrtStatus* status = ort_->UnregisterExecutionProviderLibrary(env_.get(), "vta")) {
      std::fprintf(stderr, "%s\n", ort_->GetErrorMessage(status));
      ort_->ReleaseStatus(status);
    }
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  json run(const json& job) {
    try {
      const Owned<OrtSessionOptions> options = makeOptions(job);
      OrtSession* made = nullptr;
      ort_.check(ort_->CreateSession(env_.get(), job.at("model").get<std::string>().c_str(),
                                     options.get(), &made));
      const Owned<OrtSession> session(made, ort_->ReleaseSession);
      json answer = {{"nodes", assignment(session.get())}, {"outputs", json::array()}};
      if (job.contains("inputs")) answer["outputs"] = runSession(session.get(), job);
      return answer;
    } catch (const api::Error& error) {
      return {{"error", error.what()}};
    }
  }

 private:
  Owned<OrtEnv> makeEnv() const {
    OrtEnv* made = nullptr;
    ort_.check(ort_->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "test", &made));
    return {made, ort_->ReleaseEnv};
  }

  Owned<OrtSessionOptions> makeOptions(const json& job) const {
    OrtSessionOptions* made = nullptr;
    ort_.check(ort_->CreateSessionOptions(&made));
    Owned<OrtSessionOptions> options(made, ort_->ReleaseSessionOptions);
    ort_.check(ort_->AddSessionConfigEntry(made, "session.record_ep_graph_assignment_info", "1"));
    const json config = job.value("config", json::object());
    const json dimensions = job.value("dimensions", json::object());
    const json provider_options = job.value("options", json::object());
    for (const auto& [key, value] : config.items()) {
      ort_.check(ort_->AddSessionConfigEntry(made, key.c_str(), value.get<std::string>().c_str()));
    }
    for (const auto& [name, extent] : dimensions.items()) {
      ort_.check(ort_->AddFreeDimensionOverrideByName(made, name.c_str(), extent.get<int64_t>()));
    }
    if (!job.value("provider", true)) return options;
    std::vector<std::string> texts;
    for (const auto& [key, value] : provider_options.items()) {
      texts.insert(texts.end(), {key, value.get<std::string>()});
    }
    std::vector<const char*> keys, values;
    for (size_t i = 0; i < texts.size(); i += 2) {
      keys.push_back(texts[i].c_str());
      values.push_back(texts[i + 1].c_str());
    }
    ort_.check(ort_->SessionOptionsAppendExecutionProvider_V2(
        made, env_.get(), &device_, 1, keys.data(), values.data(), keys.size()));
    return options;
  }

  /// The operators of each subgraph that a provider got.
  json assignment(const OrtSession* session) const {
    const OrtEpAssignedSubgraph* const* subgraphs = nullptr;
    size_t count = 0;
    ort_.check(ort_->Session_GetEpGraphAssignmentInfo(session, &subgraphs, &count));
    json all = json::object();
    for (size_t i = 0; i < count; ++i) {
      const char* name = nullptr;
      const OrtEpAssignedNode* const* nodes = nullptr;
      size_t node_count = 0;
      ort_.check(ort_->EpAssignedSubgraph_GetEpName(subgraphs[i], &name));
      ort_.check(ort_->EpAssignedSubgraph_GetNodes(subgraphs[i], &nodes, &node_count));
      json operators = json::array();
      for (size_t k = 0; k < node_count; ++k) {
        operators.push_back(ort_.get<const char*>(nodes[k], ort_->EpAssignedNode_GetOperatorType));
      }
      all[name].push_back(operators);
    }
    return all;
  }

  json runSession(OrtSession* session, const json& job) {
    std::vector<std::string> bytes, names;
    std::vector<Owned<OrtValue>> values;
    bytes.reserve(job.at("inputs").size());
    for (const json& input : job.at("inputs")) {
      names.push_back(input.at("name"));
      values.push_back(makeValue(input, bytes.emplace_back(readFile(input.at("file")))));
    }
    std::vector<const char*> input_names, output_names;
    std::vector<const OrtValue*> inputs;
    for (size_t i = 0; i < values.size(); ++i) {
      input_names.push_back(names[i].c_str());
      inputs.push_back(values[i].get());
    }
    const std::vector<std::string> outputs = outputNames(session);
    for (const std::string& name : outputs) output_names.push_back(name.c_str());
    std::vector<OrtValue*> results(outputs.size());
    const auto run = [&](std::vector<OrtValue*>& into) {
      return ort_->Run(session, nullptr, input_names.data(), inputs.data(), inputs.size(),
                       output_names.data(), output_names.size(), into.data());
    };
    runBeside(run, job.value("runs", 1) - 1, outputs.size());
    ort_.check(run(results));
    json all = json::array();
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Owned<OrtValue> result(results[i], ort_->ReleaseValue);
      all.push_back(write(outputs[i], result.get(),
                          job.at("folder").get<std::string>() + "/" + std::to_string(i)));
    }
    return all;
  }

  /// The same run in other threads, at once.
  template <typename Run>
  void runBeside(const Run& run, int count, size_t outputs) const {
    std::vector<std::thread> threads;
    std::vector<OrtStatus*> statuses(count);
    for (int i = 0; i < count; ++i) {
      threads.emplace_back([&, i] {
        std::vector<OrtValue*> results(outputs);
        statuses[i] = run(results);
        for (OrtValue* result : results) ort_->ReleaseValue(result);
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (OrtStatus* status : statuses) ort_.check(status);
  }

  std::vector<std::string> outputNames(const OrtSession* session) const {
    OrtAllocator* allocator = nullptr;
    ort_.check(ort_->GetAllocatorWithDefaultOptions(&allocator));
    std::vector<std::string> names(ort_.get<size_t>(session, ort_->SessionGetOutputCount));
    for (size_t i = 0; i < names.size(); ++i) {
      char* name = nullptr;
      ort_.check(ort_->SessionGetOutputName(session, i, allocator, &name));
      names[i] = name;
      ort_.check(ort_->AllocatorFree(allocator, name));
    }
    return names;
  }

  Owned<OrtValue> makeValue(const json& input, std::string& bytes) const {
    OrtMemoryInfo* made = nullptr;
    ort_.check(ort_->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &made));
    const Owned<OrtMemoryInfo> memory(made, ort_->ReleaseMemoryInfo);
    const auto shape = input.at("shape").get<std::vector<int64_t>>();
    OrtValue* value = nullptr;
    ort_.check(ort_->CreateTensorWithDataAsOrtValue(
        memory.get(), bytes.data(), bytes.size(), shape.data(), shape.size(),
        static_cast<ONNXTensorElementDataType>(input.at("type").get<int>()), &value));
    return {value, ort_->ReleaseValue};
  }

  json write(const std::string& name, const OrtValue* value, const std::string& file) const {
    OrtTensorTypeAndShapeInfo* made = nullptr;
    ort_.check(ort_->GetTensorTypeAndShape(value, &made));
    const Owned<OrtTensorTypeAndShapeInfo> info(made, ort_->ReleaseTensorTypeAndShapeInfo);
    std::vector<int64_t> shape(ort_.get<size_t>(made, ort_->GetDimensionsCount));
    if (!shape.empty()) ort_.check(ort_->GetDimensions(made, shape.data(), shape.size()));
    const auto size = ort_.get<size_t>(value, ort_->GetTensorSizeInBytes);
    const auto* data = ort_.get<const void*>(value, ort_->GetTensorData);
    std::ofstream(file, std::ios::binary)
        .write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
    return {{"name", name},
            {"type", ort_.get<ONNXTensorElementDataType>(made, ort_->GetTensorElementType)},
            {"shape", shape},
            {"file", file}};
  }

  Ort ort_;
  Owned<OrtEnv> env_;
  const OrtEpDevice* device_ = nullptr;
};

int runMain(const char* runtime, const char* plugin) {
  void* library = dlopen(runtime, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  using GetBase = const OrtApiBase* (*)();
  const auto get_base = reinterpret_cast<GetBase>(dlsym(library, "OrtGetApiBase"));
  try {
    Host host(*get_base(), plugin);
    json answers = json::array();
    for (const json& job : json::parse(std::cin)) answers.push_back(host.run(job));
    std::cout << answers.dump(-1, ' ', false, json::error_handler_t::replace) << std::endl;
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

}  // namespace
}  // namespace vta::ort

int main(int argc, char** argv) {
  if (argc == 3) return vta::ort::runMain(argv[1], argv[2]);
  std::fprintf(stderr, "usage: vta-ort-host LIBONNXRUNTIME LIBVTA_ORT\n");
  return 2;
}
