#include "compiler/frontend/onnx/importer/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "compiler/dialects/graph/graph.h"
#include "compiler/frontend/onnx/importer/graph_importer.h"
#include "compiler/frontend/onnx/importer/ports.h"
#include "compiler/frontend/onnx/tensor_proto.h"
#include "llvm/ADT/ScopeExit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace vta::compiler {
namespace {

/// The type of a value that the model declares with a fixed shape; nothing for others.
std::optional<mlir::RankedTensorType> fixedType(const onnx::ValueInfoProto& value,
                                                const GraphImporter& importer) {
  const auto& type = value.type().tensor_type();
  if (!value.type().has_tensor_type() || !type.has_shape()) return std::nullopt;
  std::vector<int64_t> shape;
  for (const auto& dimension : type.shape().dim()) shape.push_back(fixedExtent(dimension));
  const auto element = importer.computedType(type.elem_type());
  if (!element.ok() || std::ranges::any_of(shape, [](int64_t extent) { return extent < 0; })) {
    return std::nullopt;
  }
  return mlir::RankedTensorType::get(shape, *element);
}

class Survey {
 public:
  Survey(const ModelFile& file, mlir::MLIRContext& context)
      : graph_(file.proto.graph()),
        state_{file, mlir::OpBuilder(&context), false, {}, 0},
        importer_(state_, graph_, file.opset, nullptr, "") {}

  Result<std::vector<RefusedNode>> run() {
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::ModuleOp::create(state_.builder.getUnknownLoc());
    // They may read values of the module, which goes first.
    const auto clear = llvm::make_scope_exit([&] { state_.regions.clear(); });
    state_.builder.setInsertionPointToEnd(module->getBody());
    auto function = state_.builder.create<mlir::func::FuncOp>(
        module->getLoc(), "main", state_.builder.getFunctionType({}, {}));
    entry_ = function.addEntryBlock();
    state_.builder.setInsertionPointToStart(entry_);
    declareInputs();
    state_.refuse = [this](const onnx::NodeProto& node, const Status& why) { refuse(node, why); };
    VTA_RETURN_IF_ERROR(importer_.importNodes());
    std::ranges::sort(refused_, {}, &RefusedNode::index);
    return std::move(refused_);
  }

 private:
  /// Gives `value` its declared type, or none.
  void take(const onnx::ValueInfoProto* declared, const std::string& name) {
    const auto type = declared != nullptr ? fixedType(*declared, importer_) : std::nullopt;
    if (type) {
      importer_.define(name, entry_->addArgument(*type, state_.builder.getUnknownLoc()));
    } else {
      importer_.leaveUndefined(name);
    }
  }

  void declareInputs() {
    std::set<std::string_view> constants;
    for (const auto& tensor : graph_.initializer()) constants.insert(tensor.name());
    for (const auto& sparse : graph_.sparse_initializer()) {
      constants.insert(sparse.values().name());
    }
    for (const auto& input : graph_.input()) {
      if (!constants.contains(input.name())) take(&input, input.name());
    }
  }

  void refuse(const onnx::NodeProto& node, const Status& why) {
    const auto at = std::ranges::find_if(
        graph_.node(), [&](const onnx::NodeProto& other) { return &other == &node; });
    refused_.push_back(
        {at - graph_.node().begin(), node.name(), operatorName(node), why.message()});
    for (const std::string& name : node.output()) {
      if (!name.empty()) take(importer_.declared(name), name);
    }
  }

  const onnx::GraphProto& graph_;
  ImportState state_;
  GraphImporter importer_;
  mlir::Block* entry_ = nullptr;
  std::vector<RefusedNode> refused_;
};

}  // namespace

Result<std::vector<RefusedNode>> surveyOnnx(const std::filesystem::path& path,
                                            mlir::MLIRContext& context) {
  context.loadDialect<graph::GraphDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect>();
  auto file = readModelFile(path, 0, nullptr);
  if (!file.ok()) return file.status().withContext(path.string());
  auto refused = Survey(*file, context).run();
  if (!refused.ok()) return refused.status().withContext(path.string());
  return refused;
}

}  // namespace vta::compiler
