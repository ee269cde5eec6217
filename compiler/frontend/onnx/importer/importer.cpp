// importOnnx: the model's inputs, its graph, its outputs.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

#include "compiler/dialects/graph/counted_results.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/work.h"
#include "compiler/frontend/onnx/extents/usual_extents.h"
#include "compiler/frontend/onnx/import.h"
#include "compiler/frontend/onnx/importer/graph_importer.h"
#include "compiler/frontend/onnx/importer/ports.h"
#include "compiler/frontend/onnx/importer/unique_names.h"
#include "compiler/frontend/onnx/rewrites/kept_text.h"
#include "compiler/frontend/onnx/rewrites/static_ranges.h"
#include "compiler/frontend/onnx/tensor_proto.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace vta::compiler {
namespace {

using mlir::RankedTensorType;
using mlir::Value;

/// Whether a list of nodes has an operator that the graph dialect knows for float32 alone.
bool needsFloat32(const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes) {
  constexpr std::string_view kOperators[] = {"AveragePool",
                                             "BatchNormalization",
                                             "Clip",
                                             "Conv",
                                             "ConvTranspose",
                                             "DequantizeLinear",
                                             "Einsum",
                                             "GRU",
                                             "Gemm",
                                             "LRN",
                                             "LSTM",
                                             "LogSoftmax",
                                             "MatMul",
                                             "QuantizeLinear",
                                             "Resize",
                                             "RNN",
                                             "Softmax",
                                             "Attention",
                                             "GlobalAveragePool"};
  return std::ranges::any_of(nodes, [&](const onnx::NodeProto& node) {
    return std::ranges::find(kOperators, node.op_type()) != std::end(kOperators) ||
           std::ranges::any_of(node.attribute(), [](const auto& attribute) {
             return attribute.has_g() && needsFloat32(attribute.g().node());
           });
  });
}

/// Whether values of type double stay double. Networks do not need that precision, and the
/// accelerator's integers less so; calculations on numbers as large as a double can be do.
bool keepsDouble(const onnx::ModelProto& model) {
  return !needsFloat32(model.graph().node()) &&
         std::ranges::none_of(model.functions(),
                              [](const auto& function) { return needsFloat32(function.node()); });
}

/// Users first; in graphs inside of ops, too.
void eraseDeadOps(mlir::Block& block) {
  for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(block.getOperations()))) {
    if (mlir::isOpTriviallyDead(&op)) {
      op.erase();
      continue;
    }
    for (mlir::Region& region : op.getRegions()) {
      for (mlir::Block& inner : region) eraseDeadOps(inner);
    }
  }
}

class Importer {
 public:
  Importer(const ModelFile& file, const ImportOptions& options, mlir::MLIRContext& context)
      : proto_(file.proto.graph()),
        options_(options),
        state_{file, mlir::OpBuilder(&context), keepsDouble(file.proto), {}, 0},
        graph_(state_, proto_, file.opset, nullptr, "") {
    state_.notes = options.notes;
  }

  Result<mlir::OwningOpRef<mlir::ModuleOp>> run();
  /// How many nodes were imported, those of loops once for each iteration.
  int64_t nodes() const { return state_.node_count; }

 private:
  Status createFunction(mlir::ModuleOp module);
  Result<Value> asDeclared(const onnx::ValueInfoProto& output, Value value);
  std::vector<const onnx::ValueInfoProto*> distinctOutputs() const;
  Status createReturn();

  mlir::OpBuilder& builder() { return state_.builder; }
  graph::GraphBuilder buildPort(const std::string& name) {
    return {builder(), mlir::NameLoc::get(builder().getStringAttr(name)), graph::Folding::kNone};
  }

  const onnx::GraphProto& proto_;
  const ImportOptions& options_;
  ImportState state_;
  GraphImporter graph_;
  mlir::func::FuncOp function_;
};

Status Importer::createFunction(mlir::ModuleOp module) {
  VTA_ASSIGN_OR_RETURN(
      const std::vector<InputPort> inputs,
      resolveInputs(proto_, {options_.dimensions, options_.input_shapes, options_.notes}));
  std::vector<mlir::Type> types;
  for (const InputPort& input : inputs) {
    auto element_type = elementType(input.onnx_type, *builder().getContext());
    if (!element_type.ok()) {
      return element_type.status().withContext(fmt::format("input '{}'", input.name));
    }
    types.push_back(RankedTensorType::get(input.shape, *element_type));
  }
  builder().setInsertionPointToEnd(module.getBody());
  function_ = builder().create<mlir::func::FuncOp>(module.getLoc(), "main",
                                                   builder().getFunctionType(types, {}));
  builder().setInsertionPointToStart(function_.addEntryBlock());
  for (size_t i = 0; i < inputs.size(); ++i) {
    function_.setArgAttr(i, "graph.name", builder().getStringAttr(inputs[i].name));
    VTA_ASSIGN_OR_RETURN(mlir::Type computed, graph_.computedType(inputs[i].onnx_type));
    VTA_ASSIGN_OR_RETURN(Value value,
                         buildPort(inputs[i].name).cast(function_.getArgument(i), computed));
    graph_.define(inputs[i].name, value);
  }
  return {};
}

/// `value` in the type that the model gives to the output.
Result<Value> Importer::asDeclared(const onnx::ValueInfoProto& output, Value value) {
  const auto& type = output.type().tensor_type();
  if (!output.type().has_tensor_type() || type.elem_type() == onnx::TensorProto::UNDEFINED) {
    return value;
  }
  VTA_ASSIGN_OR_RETURN(mlir::Type declared, elementType(type.elem_type(), *builder().getContext()));
  return buildPort(output.name()).cast(value, declared);
}

/// The model's outputs without those that repeat another one: they would have one name.
std::vector<const onnx::ValueInfoProto*> Importer::distinctOutputs() const {
  std::vector<const onnx::ValueInfoProto*> outputs;
  std::set<std::string_view> names, repeated;
  for (const onnx::ValueInfoProto& output : proto_.output()) {
    if (names.insert(output.name()).second) {
      outputs.push_back(&output);
    } else if (repeated.insert(output.name()).second && options_.notes != nullptr) {
      options_.notes->push_back(fmt::format(
          "the model names output '{}' more than once; it is given once", output.name()));
    }
  }
  return outputs;
}

Status Importer::createReturn() {
  const std::vector<const onnx::ValueInfoProto*> ports = distinctOutputs();
  std::vector<Value> results;
  std::vector<RowCount> counted;  // by output, with a null count where all of it is valid
  for (const onnx::ValueInfoProto* port : ports) {
    VTA_ASSIGN_OR_RETURN(const Value value, graph_.output(port->name()));
    const RowCount* rows = graph_.rowCount(value);
    counted.push_back(rows != nullptr ? *rows : RowCount());
    VTA_ASSIGN_OR_RETURN(results.emplace_back(), asDeclared(*port, value));
  }
  const size_t outputs = results.size();
  std::vector<unsigned> count_results(outputs);
  for (size_t i = 0; i < outputs; ++i) {
    if (!counted[i].count) continue;
    const auto first_count = std::next(results.begin(), static_cast<std::ptrdiff_t>(outputs));
    const auto known = std::find(first_count, results.end(), counted[i].count);
    count_results[i] = static_cast<unsigned>(known - results.begin());
    if (known == results.end()) results.push_back(counted[i].count);
  }
  std::vector<mlir::Type> types;
  for (const Value value : results) types.push_back(value.getType());
  builder().create<mlir::func::ReturnOp>(function_.getLoc(), results);
  function_.setType(builder().getFunctionType(function_.getFunctionType().getInputs(), types));
  for (unsigned i = 0; i < outputs; ++i) {
    function_.setResultAttr(i, "graph.name", builder().getStringAttr(ports[i]->name()));
    const RowCount& rows = counted[i];
    if (rows.count) graph::setCount(function_, i, {count_results[i], rows.axis});
  }
  return {};
}

/// The least extent of what the elements of `value` select from; nothing where they are no indices.
std::optional<int64_t> indexExtent(Value value) {
  std::optional<int64_t> least;
  llvm::SetVector<Value> same = {};  // values that have elements of `value`
  same.insert(value);
  for (size_t i = 0; i < same.size(); ++i) {
    for (mlir::Operation* user : same[i].getUsers()) {
      if (auto check = mlir::dyn_cast<graph::CheckIndicesOp>(user)) {
        const llvm::ArrayRef<int64_t> extents = check.getExtents();
        const int64_t extent = *std::ranges::min_element(extents);
        least = std::min(least.value_or(extent), extent);
      } else if (mlir::isa<graph::CastOp>(user) || graph::isDataMovement(user)) {
        same.insert(user->getResult(0));
      }
    }
  }
  return least;
}

Result<mlir::OwningOpRef<mlir::ModuleOp>> Importer::run() {
  auto file_name = builder().getStringAttr(state_.file.path.filename().string());
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::NameLoc::get(file_name));
  // They may read values of the module, which goes first where there is an error.
  const auto clear = llvm::make_scope_exit([&] { state_.regions.clear(); });
  VTA_RETURN_IF_ERROR(createFunction(*module));
  VTA_RETURN_IF_ERROR(graph_.importNodes());
  VTA_RETURN_IF_ERROR(state_.refusals.status());
  VTA_RETURN_IF_ERROR(createReturn());
  eraseDeadOps(function_.front());
  for (unsigned i = 0; i < function_.getNumArguments(); ++i) {
    const std::optional<int64_t> extent = indexExtent(function_.getArgument(i));
    if (!extent || *extent == 0) continue;
    function_.setArgAttr(i, "graph.index_extent", builder().getI64IntegerAttr(*extent));
  }
  return module;
}

/// Whether the model says of some tensors how they are rounded.
bool isQuantized(const onnx::GraphProto& graph) {
  return std::ranges::any_of(graph.node(), [](const onnx::NodeProto& node) {
    return node.op_type() == "QuantizeLinear" || node.op_type() == "DequantizeLinear";
  });
}

/// Looks at operators that find ranges in every run, and rewrites them where that is asked for.
void treatDynamicRanges(onnx::GraphProto& graph, const ImportOptions& options) {
  const int64_t found = countDynamicRanges(graph);
  const int64_t rewritten = options.static_ranges ? makeRangesStatic(graph) : 0;
  if (options.notes == nullptr) return;
  if (options.static_ranges && rewritten == 0 && !isQuantized(graph)) {
    options.notes->push_back(
        "--static-ranges changes nothing: the model is not quantised, and no product of integers "
        "has the form of a dynamically quantised layer");
  } else if (!options.static_ranges && found > 0) {
    options.notes->push_back(fmt::format(
        "{} operators find the range of an activation in every run, which keeps their layers on "
        "the CPU; --static-ranges takes the ranges from --calibrate",
        found));
  }
}

/// How much work an import may be tried again for; one trial is always made.
constexpr int64_t kMostWorkOfTrials = 200'000;
/// Bytes of constants that are as much work as a node.
constexpr int64_t kBytesOfNode = 20'000;

int64_t constantBytes(const onnx::GraphProto& graph) {
  int64_t bytes = 0;
  for (const auto& tensor : graph.initializer()) bytes += tensor.ByteSizeLong();
  return bytes;
}

/// What is told about dimensions whose extents were tried.
void noteTrial(const std::vector<FreeDimension>& free, const DimensionMap& taken,
               const DimensionMap& usual, std::vector<std::string>& notes) {
  for (const FreeDimension& dimension : free) {
    const int64_t extent = taken.at(dimension.symbol), first = usual.at(dimension.symbol);
    const std::string why = extent == first
                                ? "the default, as nothing says what it is"
                                : fmt::format(
                                      "which the model's nodes allow; the default {} does "
                                      "not fit them",
                                      first);
    notes.push_back(fmt::format(
        "dimension '{0}' of input '{1}' is taken to be {2}, {3}; --shape {0}=VALUE sets another",
        dimension.symbol, dimension.input, extent, why));
  }
}

Status withoutValues(const std::vector<FreeDimension>& free, const DimensionMap& usual,
                     const Status& error) {
  std::string options, tried;
  for (const FreeDimension& dimension : free) {
    options += fmt::format(" --shape {}=VALUE", dimension.symbol);
    tried += fmt::format("{}{} {}", tried.empty() ? "" : ", ", dimension.symbol,
                         usual.at(dimension.symbol));
  }
  return invalidArgument(
      fmt::format("the inputs have symbolic dimensions; bind them with{}. Usual values do not fit "
                  "the model; with {}: {}",
                  options, tried, error.message()));
}

/// Symbolic dimensions that nothing gives a value have the most usual ones that the model's shapes
/// fit.
Result<mlir::OwningOpRef<mlir::ModuleOp>> importGraph(const ModelFile& file,
                                                      const ImportOptions& options,
                                                      mlir::MLIRContext& context) {
  const onnx::GraphProto& graph = file.proto.graph();
  VTA_ASSIGN_OR_RETURN(
      const std::vector<FreeDimension> free,
      freeDimensions(graph, {options.dimensions, options.input_shapes, options.notes}));
  if (free.empty()) return Importer(file, options, context).run();
  UsualExtents extents(graph, free);
  std::optional<DimensionMap> usual;
  Status first_error;
  int64_t work = 0;
  while (work <= kMostWorkOfTrials) {
    const std::optional<DimensionMap> tried = extents.next();
    if (!tried) break;
    if (!usual) usual = tried;
    ImportOptions trial = options;
    trial.dimensions.insert(tried->begin(), tried->end());
    std::vector<std::string> notes;
    trial.notes = &notes;
    Importer importer(file, trial, context);
    auto module = importer.run();
    if (module.ok()) noteTrial(free, *tried, *usual, notes);
    if (module.ok() && options.notes != nullptr) {
      options.notes->insert(options.notes->end(), notes.begin(), notes.end());
    }
    // Only that shapes do not fit depends on them.
    if (module.ok() || module.status().code() != StatusCode::kInvalidArgument) return module;
    if (first_error.ok()) first_error = module.status();
    work += 1 + importer.nodes() + constantBytes(graph) / kBytesOfNode;
  }
  return withoutValues(free, *usual, first_error);
}

Result<mlir::OwningOpRef<mlir::ModuleOp>> importFile(Result<ModelFile> file,
                                                     const std::filesystem::path& path,
                                                     const ImportOptions& options,
                                                     mlir::MLIRContext& context) {
  context.loadDialect<graph::GraphDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect>();
  if (!file.ok()) return file.status().withContext(path.string());
  VTA_RETURN_IF_ERROR(checkUniqueNames(file->proto).withContext(path.string()));
  treatDynamicRanges(*file->proto.mutable_graph(), options);
  std::optional<graph::KeptText> text;
  if (options.prompt_chunk > 1 && options.context_length == 0) {
    return invalidArgument(
        fmt::format("--prompt-chunk={} needs --context-length, how many words a text may have",
                    options.prompt_chunk));
  }
  if (options.context_length > 0) {
    auto kept = keepText(*file->proto.mutable_graph(),
                         {options.context_length, options.prompt_chunk, options.last_scores},
                         options.notes);
    if (!kept.ok()) return kept.status().withContext(path.string());
    text = *std::move(kept);
  }
  auto module = importGraph(*file, options, context);
  if (!module.ok()) return module.status().withContext(path.string());
  if (text) graph::setKeptText((*module)->lookupSymbol<mlir::func::FuncOp>("main"), *text);
  return module;
}

}  // namespace

Result<mlir::OwningOpRef<mlir::ModuleOp>> importOnnx(const std::filesystem::path& path,
                                                     const ImportOptions& options,
                                                     mlir::MLIRContext& context) {
  return importFile(readModelFile(path, options.context_length, options.notes), path, options,
                    context);
}

Result<mlir::OwningOpRef<mlir::ModuleOp>> importOnnxBytes(std::string_view bytes,
                                                          const std::filesystem::path& path,
                                                          const ImportOptions& options,
                                                          mlir::MLIRContext& context) {
  return importFile(parseModelFile(bytes, path), path, options, context);
}

}  // namespace vta::compiler
