// The ONNX project's operator cases: imported with their inputs as constants, so that everything
// the evaluator of the graph dialect covers folds to the result; the rest is compiled for the CPU.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/dialects/graph/graph_builder.h"
#include "compiler/frontend/onnx/import.h"
#include "compiler/frontend/onnx/tensor_proto.h"
#include "host_cpu/host_compiler.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "onnx/onnx_pb.h"

namespace vta::compiler {
namespace {

namespace fs = std::filesystem;

const fs::path kCases = "/usr/share/libonnx-testdata/data/node";

template <typename Proto>
Proto parseFile(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  Proto proto;
  EXPECT_TRUE(proto.ParseFromIstream(&stream)) << path;
  return proto;
}

/// The model with its inputs turned into initializers; nothing if they are not plain tensors of
/// types that TensorProto stores as declared (bfloat16 comes as uint16).
std::optional<onnx::ModelProto> withConstantInputs(const fs::path& directory) {
  auto model = parseFile<onnx::ModelProto>(directory / "model.onnx");
  auto& graph = *model.mutable_graph();
  for (int i = 0; i < graph.input_size(); ++i) {
    const onnx::TypeProto& type = graph.input(i).type();
    if (!type.has_tensor_type()) return std::nullopt;
    fs::path data = directory / "test_data_set_0" / ("input_" + std::to_string(i) + ".pb");
    auto& tensor = *graph.add_initializer();
    tensor = parseFile<onnx::TensorProto>(data);
    tensor.set_name(graph.input(i).name());
    if (tensor.data_type() != type.tensor_type().elem_type()) return std::nullopt;
  }
  graph.clear_input();
  return model;
}

class Conformance : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kCases)) GTEST_SKIP() << "the package libonnx-testdata is not installed";
    path_ = fs::temp_directory_path() / ("vta_conformance_" + std::to_string(getpid()) + ".onnx");
  }
  void TearDown() override { fs::remove(path_); }

  Result<mlir::OwningOpRef<mlir::ModuleOp>> import(const fs::path& directory) {
    auto model = withConstantInputs(directory);
    if (!model) return unsupported("its inputs are no plain tensors");
    std::ofstream(path_, std::ios::binary) << model->SerializeAsString();
    return importOnnx(path_, {}, context_);
  }

  /// Compares result `index` of the case with what is expected.
  void compare(const fs::path& directory, int index, const graph::ConstantTensor& found);
  /// Compares the results if they are constants; false if not.
  bool compareFolded(const fs::path& directory, mlir::func::FuncOp function);
  /// Moves `function` to the module that runOnHost compiles.
  void addHostCase(const fs::path& directory, mlir::func::FuncOp function);
  void runOnHost();

  struct HostCase {
    fs::path directory;
    std::string function;
    std::vector<mlir::RankedTensorType> results;
  };

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  fs::path path_;
  int folded_ = 0;
  std::vector<HostCase> host_cases_;
  mlir::OwningOpRef<mlir::ModuleOp> host_module_ =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context_));
};

void Conformance::compare(const fs::path& directory, int index,
                          const graph::ConstantTensor& found) {
  SCOPED_TRACE(directory.filename());
  fs::path data = directory / "test_data_set_0" / ("output_" + std::to_string(index) + ".pb");
  auto expected = toAttribute(parseFile<onnx::TensorProto>(data), {}, context_);
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  ASSERT_TRUE(expected->getType() == found.type()) << "the type or shape differs";
  std::vector<double> wanted = graph::ConstantTensor(*expected).asDoubles();
  std::vector<double> got = found.asDoubles();
  for (size_t i = 0; i < wanted.size(); ++i) {
    bool both_nan = std::isnan(wanted[i]) && std::isnan(got[i]);
    if (both_nan || wanted[i] == got[i]) continue;
    // The tolerance of ONNX's own runner: some expected values are that rough.
    ASSERT_NEAR(got[i], wanted[i], 1e-3 * std::abs(wanted[i]) + 1e-5) << "element " << i;
  }
}

bool Conformance::compareFolded(const fs::path& directory, mlir::func::FuncOp function) {
  std::vector<mlir::DenseElementsAttr> results;
  for (mlir::Value result : function.front().getTerminator()->getOperands()) {
    results.push_back(graph::constantOf(result));
    if (!results.back()) return false;
  }
  for (size_t i = 0; i < results.size(); ++i) {
    compare(directory, static_cast<int>(i), graph::ConstantTensor(results[i]));
  }
  ++folded_;
  return true;
}

void Conformance::addHostCase(const fs::path& directory, mlir::func::FuncOp function) {
  HostCase host_case{directory, "case_" + std::to_string(host_cases_.size()), {}};
  for (mlir::Type type : function.getResultTypes()) {
    host_case.results.push_back(mlir::cast<mlir::RankedTensorType>(type));
  }
  function.setName(host_case.function);
  function->remove();
  host_module_->push_back(function);
  host_cases_.push_back(std::move(host_case));
}

void Conformance::runOnHost() {
  host::HostOptions options;
  options.parallel = false;
  auto executable = host::HostExecutable::create(*host_module_, options);
  ASSERT_TRUE(executable.ok()) << executable.status().message();
  for (const HostCase& host_case : host_cases_) {
    std::vector<graph::ConstantTensor> results(host_case.results.begin(), host_case.results.end());
    std::vector<void*> arguments;
    for (auto& result : results) arguments.push_back(result.data());
    Status status = (*executable)->call(host_case.function, arguments);
    ASSERT_TRUE(status.ok()) << host_case.directory << status.message();
    for (size_t i = 0; i < results.size(); ++i) {
      compare(host_case.directory, static_cast<int>(i), results[i]);
    }
  }
}

TEST_F(Conformance, NodeCases) {
  std::vector<fs::path> directories(fs::directory_iterator(kCases), fs::directory_iterator{});
  std::ranges::sort(directories);
  for (const fs::path& directory : directories) {
    auto module = import(directory);
    if (module.ok()) {
      auto function = (*module)->lookupSymbol<mlir::func::FuncOp>("main");
      if (!compareFolded(directory, function)) addHostCase(directory, function);
    } else if (module.status().code() != StatusCode::kUnsupported) {
      // Every case is a legal model: it may be refused, but not called wrong.
      ADD_FAILURE() << directory.filename() << ": " << module.status().message();
    }
  }
  runOnHost();
  RecordProperty("folded", folded_);
  RecordProperty("compiled", static_cast<int>(host_cases_.size()));
  EXPECT_GE(folded_, 300);
  EXPECT_GE(host_cases_.size(), 50);
}

}  // namespace
}  // namespace vta::compiler
