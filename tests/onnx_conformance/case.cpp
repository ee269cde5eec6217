#include "tests/onnx_conformance/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <optional>

#include "compiler/codegen/executable.h"
#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/dialects/graph/counted_results.h"
#include "compiler/dialects/graph/element_type.h"
#include "compiler/dialects/graph/shapes.h"
#include "compiler/frontend/onnx/import.h"
#include "compiler/frontend/onnx/tensor_proto.h"
#include "host_cpu/backend/backend.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeUtilities.h"
#include "onnx/onnx_pb.h"
#include "tests/onnx_conformance/gpu_run.h"

namespace vta::conformance {
namespace {

namespace fs = std::filesystem;
using compiler::toAttribute;
using mlir::DenseElementsAttr;

// Those of ONNX's own runner: some expected values are that rough.
constexpr double kRelativeTolerance = 1e-3;
constexpr double kAbsoluteTolerance = 1e-7;

/// The cases cut float32 to bfloat16 where the operator's text, and this compiler, round.
constexpr double kBfloatStep = 0x1p-7;

template <typename Proto>
Result<Proto> parseFile(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  Proto proto;
  if (stream && proto.ParseFromIstream(&stream)) return proto;
  return ioError(path.string() + " cannot be read");
}

fs::path dataFile(const fs::path& data_set, const char* kind, int index) {
  return data_set / fmt::format("{}_{}.pb", kind, index);
}

/// Reads the tensor for a port; the cases store bfloat16 as uint16 of the same bits.
Result<onnx::TensorProto> parseTensor(const fs::path& path, const onnx::ValueInfoProto& port) {
  VTA_ASSIGN_OR_RETURN(auto proto, parseFile<onnx::TensorProto>(path));
  const bool is_bfloat = port.type().tensor_type().elem_type() == onnx::TensorProto::BFLOAT16;
  if (is_bfloat && proto.data_type() == onnx::TensorProto::UINT16) {
    proto.set_data_type(onnx::TensorProto::BFLOAT16);
  }
  return proto;
}

/// The case's model and its run-time inputs.
class Case {
 public:
  Case(fs::path directory, std::string gpu)
      : directory_(std::move(directory)), gpu_(std::move(gpu)) {}

  Status load();
  CaseResult run();

 private:
  bool hasPlainTensors() const;
  Status runOnce();
  Status runOnCpu(mlir::ModuleOp module);
  Status runOnGpu(mlir::func::FuncOp function);
  Status runDataSets(const std::function<Status(const fs::path&)>& run) const;
  Status runDataSet(const fs::path& data_set, codegen::Executable& executable,
                    mlir::func::FuncOp function);
  Status runDataSet(const fs::path& data_set, GpuRun& gpu, mlir::func::FuncOp function);
  Result<std::vector<graph::ConstantTensor>> readInputs(const fs::path& data_set,
                                                        mlir::func::FuncOp function);
  Status compare(const fs::path& data_set, int index, const graph::ConstantTensor& found);
  bool isBound(int input) const;
  Status bind(int input);
  Status bindEmptyInputs();
  bool bindConstant(const std::string& complaint);

  fs::path directory_;
  std::string gpu_;  // empty: the CPU
  onnx::ModelProto model_;
  CaseResult result_;
  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
};

Status Case::load() {
  VTA_ASSIGN_OR_RETURN(model_, parseFile<onnx::ModelProto>(directory_ / "model.onnx"));
  for (const auto& node : model_.graph().node()) ++result_.operators[node.op_type()];
  for (const auto& opset : model_.opset_import()) {
    if (opset.domain().empty()) result_.opset = opset.version();
  }
  return {};
}

bool Case::hasPlainTensors() const {
  auto is_plain = [](const onnx::ValueInfoProto& value) {
    return value.type().has_tensor_type() &&
           value.type().tensor_type().elem_type() != onnx::TensorProto::STRING;
  };
  return std::ranges::all_of(model_.graph().input(), is_plain) &&
         std::ranges::all_of(model_.graph().output(), is_plain);
}

bool Case::isBound(int input) const {
  const auto& graph = model_.graph();
  return std::ranges::find(graph.initializer(), graph.input(input).name(),
                           &onnx::TensorProto::name) != graph.initializer().end();
}

Status Case::bind(int input) {
  VTA_ASSIGN_OR_RETURN(auto tensor,
                       parseTensor(dataFile(directory_ / "test_data_set_0", "input", input),
                                   model_.graph().input(input)));
  tensor.set_name(model_.graph().input(input).name());
  result_.constant_inputs.push_back(tensor.name());
  *model_.mutable_graph()->add_initializer() = std::move(tensor);
  return {};
}

/// Inputs without elements carry nothing at run time. Those whose extents are symbols are known by
/// their data.
Status Case::bindEmptyInputs() {
  for (int i = 0; i < model_.graph().input_size(); ++i) {
    if (isBound(i)) continue;
    const auto data =
        parseFile<onnx::TensorProto>(dataFile(directory_ / "test_data_set_0", "input", i));
    if (!data.ok()) continue;  // whoever needs it says so
    const bool is_empty = std::ranges::find(data->dims(), 0) != data->dims().end();
    if (is_empty) VTA_RETURN_IF_ERROR(bind(i));
  }
  return {};
}

/// Binds the input that `complaint` wants as a constant, or, where it names a value computed from
/// inputs, the first input of integers; false if there is none.
bool Case::bindConstant(const std::string& complaint) {
  if (complaint.find("has to be a constant") == std::string::npos) return false;
  const auto& graph = model_.graph();
  std::optional<int> chosen;
  for (int i = graph.input_size(); i-- > 0;) {
    if (isBound(i)) continue;
    int type = graph.input(i).type().tensor_type().elem_type();
    bool is_integer = type == onnx::TensorProto::INT64 || type == onnx::TensorProto::INT32;
    if (is_integer) chosen = i;
  }
  for (int i = 0; i < graph.input_size(); ++i) {
    std::string named = "('" + graph.input(i).name() + "') has to be a constant";
    if (!isBound(i) && complaint.find(named) != std::string::npos) chosen = i;
  }
  return chosen && bind(*chosen).ok();
}

Status Case::compare(const fs::path& data_set, int index, const graph::ConstantTensor& found) {
  VTA_ASSIGN_OR_RETURN(
      auto proto, parseTensor(dataFile(data_set, "output", index), model_.graph().output(index)));
  VTA_ASSIGN_OR_RETURN(DenseElementsAttr expected, toAttribute(proto, {}, context_));
  if (expected.getType() != found.type()) {
    return internalError(fmt::format("output {} has another type or shape: {} instead of {}", index,
                                     graph::shapeText(found.shape()),
                                     graph::shapeText(expected.getType().getShape())));
  }
  std::vector<double> wanted = graph::ConstantTensor(expected).asDoubles();
  std::vector<double> got = found.asDoubles();
  const bool is_bfloat = found.type().getElementType().isBF16();
  const double relative = is_bfloat ? kBfloatStep : kRelativeTolerance;
  for (size_t i = 0; i < wanted.size(); ++i) {
    bool both_nan = std::isnan(wanted[i]) && std::isnan(got[i]);
    double tolerance = relative * std::abs(wanted[i]) + kAbsoluteTolerance;
    if (both_nan || wanted[i] == got[i] || std::abs(wanted[i] - got[i]) <= tolerance) continue;
    return internalError(
        fmt::format("output {}, element {}: {} instead of {}", index, i, got[i], wanted[i]));
  }
  return {};
}

/// Result `index` of `function`, without what a count says is not valid.
graph::ConstantTensor validPart(mlir::func::FuncOp function, unsigned index,
                                std::vector<graph::ConstantTensor>& results) {
  const auto counted = graph::countOf(function, index);
  if (!counted) return results[index];
  const int64_t count = results[counted->result].asIntegers()[0];
  graph::ConstantTensor& whole = results[index];
  graph::Shape shape(whole.shape().begin(), whole.shape().end());
  shape[counted->axis] = count;
  graph::ConstantTensor part(mlir::RankedTensorType::get(shape, whole.type().getElementType()));
  graph::copyStrided(whole, graph::rowMajor(whole.shape()), part, graph::rowMajor(shape), shape);
  return part;
}

Result<std::vector<graph::ConstantTensor>> Case::readInputs(const fs::path& data_set,
                                                            mlir::func::FuncOp function) {
  std::vector<graph::ConstantTensor> inputs;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto name = mlir::cast<mlir::StringAttr>(function.getArgAttr(i, "graph.name"));
    auto input = std::ranges::find(model_.graph().input(), name.str(), &onnx::ValueInfoProto::name);
    int index = static_cast<int>(input - model_.graph().input().begin());
    VTA_ASSIGN_OR_RETURN(auto proto, parseTensor(dataFile(data_set, "input", index), *input));
    VTA_ASSIGN_OR_RETURN(DenseElementsAttr value, toAttribute(proto, {}, context_));
    if (value.getType() != function.getArgumentTypes()[i]) {
      return unsupported(fmt::format("input '{}' is stored as another type", name.str()));
    }
    inputs.emplace_back(value);
  }
  return inputs;
}

Status Case::runDataSet(const fs::path& data_set, codegen::Executable& executable,
                        mlir::func::FuncOp function) {
  VTA_ASSIGN_OR_RETURN(auto inputs, readInputs(data_set, function));
  std::vector<graph::ConstantTensor> outputs;
  for (mlir::Type type : function.getResultTypes()) {
    outputs.emplace_back(mlir::cast<mlir::RankedTensorType>(type));
  }
  std::vector<void*> arguments;
  for (auto& input : inputs) arguments.push_back(input.data());
  for (auto& output : outputs) arguments.push_back(output.data());
  VTA_RETURN_IF_ERROR(executable.call("main", arguments));
  for (unsigned i = 0; i < outputs.size() - graph::countResults(function); ++i) {
    VTA_RETURN_IF_ERROR(compare(data_set, static_cast<int>(i), validPart(function, i, outputs)));
  }
  return {};
}

/// A session gives outputs with their true shapes.
Status Case::runDataSet(const fs::path& data_set, GpuRun& gpu, mlir::func::FuncOp function) {
  VTA_ASSIGN_OR_RETURN(auto inputs, readInputs(data_set, function));
  TensorMap tensors;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    const graph::ConstantTensor& input = inputs[i];
    auto name = mlir::cast<mlir::StringAttr>(function.getArgAttr(i, "graph.name"));
    Tensor& tensor = tensors[name.str()];
    tensor = Tensor::zeros(*graph::dtypeOf(input.type().getElementType()), input.shape().vec());
    std::memcpy(tensor.data.data(), input.data(), tensor.data.size());
  }
  VTA_ASSIGN_OR_RETURN(const TensorMap outputs, gpu.run(tensors));
  for (int i = 0; i < model_.graph().output_size(); ++i) {
    const Tensor& output = outputs.at(model_.graph().output(i).name());
    const mlir::Type element = mlir::getElementTypeOrSelf(function.getResultTypes()[i]);
    if (output.dtype != graph::dtypeOf(element)) {
      return internalError(fmt::format("output {} has another type", i));
    }
    graph::ConstantTensor found(mlir::RankedTensorType::get(output.shape, element));
    std::memcpy(found.data(), output.data.data(), output.data.size());
    VTA_RETURN_IF_ERROR(compare(data_set, i, found));
  }
  return {};
}

Status Case::runDataSets(const std::function<Status(const fs::path&)>& run) const {
  for (int i = 0;; ++i) {
    const fs::path data_set = directory_ / fmt::format("test_data_set_{}", i);
    if (!fs::exists(data_set)) return {};
    VTA_RETURN_IF_ERROR(run(data_set));
  }
}

Status Case::runOnCpu(mlir::ModuleOp module) {
  // Compiling consumes the function; its signature is still needed.
  mlir::OwningOpRef<mlir::ModuleOp> signature = module.clone();
  codegen::CodeOptions options;
  options.parallel = false;
  VTA_ASSIGN_OR_RETURN(auto executable,
                       codegen::Executable::create(module, codegen::cpuBackend(), options));
  return runDataSets([&](const fs::path& data_set) {
    return runDataSet(data_set, *executable, signature->lookupSymbol<mlir::func::FuncOp>("main"));
  });
}

Status Case::runOnGpu(mlir::func::FuncOp function) {
  VTA_ASSIGN_OR_RETURN(const auto gpu, GpuRun::create(model_.SerializeAsString(), gpu_));
  result_.steps_on_gpu = gpu->stepsOnGpu();
  result_.steps_on_cpu = gpu->stepsOnCpu();
  return runDataSets(
      [&](const fs::path& data_set) { return runDataSet(data_set, *gpu, function); });
}

Status Case::runOnce() {
  VTA_ASSIGN_OR_RETURN(
      auto module, compiler::importOnnxBytes(model_.SerializeAsString(), directory_ / "model.onnx",
                                             {}, context_));
  return gpu_.empty() ? runOnCpu(*module)
                      : runOnGpu(module->lookupSymbol<mlir::func::FuncOp>("main"));
}

CaseResult Case::run() {
  Status status = load();
  if (status.ok() && !hasPlainTensors()) {
    result_.outcome = Outcome::kSkipped;
    return result_;
  }
  if (status.ok()) status = bindEmptyInputs();
  if (status.ok()) status = runOnce();
  while (status.code() == StatusCode::kUnsupported && bindConstant(status.message())) {
    status = runOnce();
  }
  result_.message = status.message();
  if (status.code() == StatusCode::kUnsupported) result_.outcome = Outcome::kRefused;
  if (status.code() == StatusCode::kInvalidArgument) result_.outcome = Outcome::kFailed;
  if (status.code() == StatusCode::kIoError) result_.outcome = Outcome::kFailed;
  if (status.code() == StatusCode::kInternal) result_.outcome = Outcome::kWrong;
  return result_;
}

}  // namespace

std::string_view outcomeName(Outcome outcome) {
  constexpr std::string_view kNames[] = {"pass",    "refused", "wrong",  "failed",
                                         "crashed", "hung",    "skipped"};
  return kNames[static_cast<size_t>(outcome)];
}

std::vector<fs::path> findCases(const fs::path& root) {
  std::vector<fs::path> cases;
  if (!fs::exists(root)) return cases;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().filename() == "model.onnx") cases.push_back(entry.path().parent_path());
  }
  std::ranges::sort(cases);
  return cases;
}

CaseResult runCase(const fs::path& directory, const std::string& gpu) {
  Case test_case(directory, gpu);
  return test_case.run();
}

}  // namespace vta::conformance
