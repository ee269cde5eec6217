#include "compiler/module/module_builder.h"

#include <fmt/format.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/TargetParser/Host.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/BuiltinOps.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "compiler/codegen/backend.h"
#include "compiler/dialects/graph/counted_results.h"
#include "compiler/dialects/graph/text/kept_text.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/kernel/lower.h"
#include "compiler/launch/action_plan.h"
#include "compiler/launch/launches.h"
#include "compiler/launch/vta_linker.h"
#include "compiler/module/function_code.h"
#include "compiler/module/functions/share_functions.h"
#include "compiler/module/ir_tensors.h"
#include "compiler/module/step_list.h"
#include "compiler/vta/common/names.h"
#include "compiler/vta/lower/kernel_program.h"
#include "module/executor_kinds.h"

namespace vta::compiler {
namespace {

std::string textAttribute(mlir::Operation* op, const char* name, std::string otherwise) {
  const auto attribute = op->getAttrOfType<mlir::StringAttr>(name);
  return attribute ? attribute.str() : std::move(otherwise);
}

bool isKernelOperandOrResult(mlir::Value value) {
  return isProgram(value.getDefiningOp()) ||
         llvm::any_of(value.getUsers(), [](mlir::Operation* user) {
           auto slice = mlir::dyn_cast<SliceOp>(user);
           return isProgram(user) || (slice && isKernelOperandOrResult(slice.getOutput()));
         });
}

class ModuleBuilder {
 public:
  ModuleBuilder(mlir::ModuleOp module, const std::string& model_name, const HwConfig& hw,
                const BuildOptions& options, const Progress& progress)
      : module_(module),
        model_name_(model_name),
        hw_(hw),
        options_(options),
        progress_(progress),
        functions_(module, steps_, linkers_) {}

  Result<BuiltModule> build();
  Result<ModuleOutline> outline();

 private:
  Status addModel();
  Status placeParts();
  Status addInputs();
  Status addOp(mlir::Operation& op);
  Status addOffloaded(const OffloadedOp& op);
  Result<StepInfo> addTensorsOf(const OffloadedOp& op);
  Status addOutlinedKernel(const OffloadedOp& op);
  Status addCall(mlir::func::CallOp op);
  Status placeSlices();
  Status addConcat(ConcatOp op);
  Status addOutputs(mlir::func::ReturnOp op);
  Status addKept(mlir::Value argument, const std::string& name);
  Result<uint32_t> tensorOf(mlir::Value value, const std::string& name);
  Result<uint32_t> tensorFor(uint32_t executor, mlir::Value value, const std::string& name);
  Result<uint32_t> addResult(mlir::Value value, const std::string& name);
  Result<uint32_t> wholeTensor(mlir::Value whole);
  Result<std::vector<int32_t>> bindBuffers(const Program& program, const OffloadedOp& op);
  std::optional<uint32_t> madeByLowering(const OffloadedOp& op, std::string_view buffer);
  template <typename T>
  uint32_t deviceConstant(const std::string& name, DType dtype, const std::vector<T>& values);

  uint32_t vta();
  uint32_t ownerOf(mlir::Value value);
  std::string portName(mlir::Attribute attribute, const char* kind, unsigned index) const;

  mlir::ModuleOp module_;
  const std::string& model_name_;
  const HwConfig& hw_;
  const BuildOptions& options_;
  const Progress& progress_;
  mlir::func::FuncOp main_;
  graph::KeptText text_;                         // with a capacity of 0: it keeps none
  std::map<std::string, size_t> cache_numbers_;  // of ContextInfo::caches, by input
  StepList steps_;
  Linkers linkers_;
  FunctionCode functions_;
  BuiltModule built_;
  llvm::DenseMap<mlir::Value, uint32_t> tensors_;
  struct Part {
    mlir::Value whole;  // a part of nothing else
    uint64_t offset_bytes;
  };
  llvm::DenseMap<mlir::Value, Part> parts_;  // what vta.concat joins and vta.slice takes
  /// Of executors that share one with another: by executor and tensor.
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> constants_;
  std::optional<ModuleOutline> outline_;  // in place of programs
};

/// The executor of the kernels.
uint32_t ModuleBuilder::vta() {
  const uint32_t executor = steps_.addExecutor(vtaExecutor(hw_), vtaMemory(hw_));
  linkers_[executor] = &vtaLinker();
  return executor;
}

/// The executor in whose memory `value` lies: the one that makes it; if that is the CPU, which
/// reaches all memories, the first one that reads it.
uint32_t ModuleBuilder::ownerOf(mlir::Value value) {
  const auto ownerOfCall = [this](mlir::Operation* op) {
    auto call = mlir::dyn_cast_or_null<mlir::func::CallOp>(op);
    return call ? functions_.ownerOf(call.getCallee()) : kCpuExecutor;
  };
  const uint32_t maker = ownerOfCall(value.getDefiningOp());
  if (maker != kCpuExecutor) return maker;
  if (isKernelOperandOrResult(value)) return vta();
  uint32_t reader = kCpuExecutor;
  mlir::Operation* first = nullptr;
  for (mlir::Operation* user : value.getUsers()) {
    const uint32_t owner = ownerOfCall(user);
    if (owner == kCpuExecutor || (first != nullptr && first->isBeforeInBlock(user))) continue;
    first = user;
    reader = owner;
  }
  return reader;
}

/// The tensor of `value` for a step of `executor`, which has constants of its own.
Result<uint32_t> ModuleBuilder::tensorFor(uint32_t executor, mlir::Value value,
                                          const std::string& name) {
  VTA_ASSIGN_OR_RETURN(const uint32_t tensor, tensorOf(value, name));
  auto constant = value.getDefiningOp<mlir::arith::ConstantOp>();
  if (!constant || steps_.executorOf(tensor) == executor) return tensor;
  const auto [known, is_new] = constants_.try_emplace({executor, tensor}, 0);
  if (!is_new) return known->second;
  VTA_ASSIGN_OR_RETURN(const Tensor data, readConstant(constant.getValue()));
  return known->second = steps_.addConstant(name, data, steps_.constantsOf(executor));
}

Result<uint32_t> ModuleBuilder::tensorOf(mlir::Value value, const std::string& name) {
  if (const auto known = tensors_.find(value); known != tensors_.end()) return known->second;
  auto constant = value.getDefiningOp<mlir::arith::ConstantOp>();
  if (!constant) return internalError("a value without a tensor");
  VTA_ASSIGN_OR_RETURN(const Tensor data, readConstant(constant.getValue()));
  return tensors_[value] = steps_.addConstant(name, data, steps_.constantsOf(ownerOf(value)));
}

Result<uint32_t> ModuleBuilder::addResult(mlir::Value value, const std::string& name) {
  VTA_ASSIGN_OR_RETURN(const Tensor shape, describeType(value.getType()));
  if (const auto part = parts_.find(value); part != parts_.end()) {
    VTA_ASSIGN_OR_RETURN(const uint32_t whole, wholeTensor(part->second.whole));
    return tensors_[value] = steps_.addPart(name, shape, whole, part->second.offset_bytes);
  }
  return tensors_[value] = steps_.addActivation(name, shape, steps_.activationsOf(ownerOf(value)));
}

/// Finds what vta.concat ops place in each other's results.
Status ModuleBuilder::placeParts() {
  llvm::SmallVector<ConcatOp> joins(main_.getOps<ConcatOp>());
  // What joins a result comes behind it.
  for (ConcatOp join : llvm::reverse(joins)) {
    Part at = {join.getOutput(), 0};
    if (const auto outer = parts_.find(join.getOutput()); outer != parts_.end()) at = outer->second;
    for (const mlir::Value input : join.getInputs()) {
      if (input.getDefiningOp<mlir::arith::ConstantOp>() || !parts_.try_emplace(input, at).second) {
        return internalError("vta.concat of a constant, or of what is joined elsewhere too");
      }
      VTA_ASSIGN_OR_RETURN(const Tensor shape, describeType(input.getType()));
      at.offset_bytes += static_cast<uint64_t>(shape.elementCount());
    }
  }
  return {};
}

/// Finds where what vta.slice ops take lies. Their inputs have their places.
Status ModuleBuilder::placeSlices() {
  for (SliceOp slice : main_.getOps<SliceOp>()) {
    const mlir::Value input = slice.getInput();
    const auto outer = parts_.find(input);
    Part at = outer == parts_.end() ? Part{input, 0} : outer->second;
    VTA_ASSIGN_OR_RETURN(const Tensor whole, describeType(input.getType()));
    auto bytes = static_cast<int64_t>(slice.getStart());  // int8: an element is a byte
    for (size_t d = slice.getAxis() + 1; d < whole.shape.size(); ++d) bytes *= whole.shape[d];
    at.offset_bytes += static_cast<uint64_t>(bytes);
    if (!parts_.try_emplace(slice.getOutput(), at).second) {
      return internalError("vta.slice of what is joined too");
    }
  }
  return {};
}

/// The tensor of what vta.concat ops made, which the first of its parts to be written begins.
Result<uint32_t> ModuleBuilder::wholeTensor(mlir::Value whole) {
  if (const auto known = tensors_.find(whole); known != tensors_.end()) return known->second;
  VTA_ASSIGN_OR_RETURN(const Tensor shape, describeType(whole.getType()));
  const std::string name = layerName(whole.getDefiningOp());
  return tensors_[whole] = steps_.addActivation(name, shape, steps_.activationsOf(vta()));
}

Status ModuleBuilder::addConcat(ConcatOp op) {
  if (!parts_.contains(op.getOutput())) return {};  // known since its first part
  return addResult(op.getOutput(), layerName(op)).status();
}

std::string ModuleBuilder::portName(mlir::Attribute attribute, const char* kind,
                                    unsigned index) const {
  const auto name = mlir::dyn_cast_or_null<mlir::StringAttr>(attribute);
  return name ? name.str() : fmt::format("{}{}", kind, index);
}

/// What the session keeps of a text lies in the CPU's memory for state.
Status ModuleBuilder::addKept(mlir::Value argument, const std::string& name) {
  VTA_ASSIGN_OR_RETURN(const Tensor shape, describeType(argument.getType()));
  const uint32_t tensor = steps_.addActivation(name, shape, steps_.stateOf(kCpuExecutor));
  tensors_[argument] = tensor;
  ContextInfo& context = built_.info.context;
  if (name == text_.length) {
    context.length = static_cast<int32_t>(tensor);
  } else {
    const auto axis = static_cast<uint32_t>(text_.cacheOfInput(name)->axis);
    cache_numbers_[name] = context.caches.size();
    context.caches.push_back({tensor, 0, axis});
  }
  return {};
}

Status ModuleBuilder::addInputs() {
  text_ = graph::keptTextOf(main_).value_or(graph::KeptText());
  built_.info.context.capacity = text_.capacity;
  for (unsigned i = 0; i < main_.getNumArguments(); ++i) {
    const std::string name = portName(main_.getArgAttr(i, "graph.name"), "input", i);
    if (text_.isKeptInput(name)) {
      VTA_RETURN_IF_ERROR(addKept(main_.getArgument(i), name));
      continue;
    }
    VTA_ASSIGN_OR_RETURN(const uint32_t tensor, addResult(main_.getArgument(i), name));
    const auto extent = main_.getArgAttrOfType<mlir::IntegerAttr>(i, "graph.index_extent");
    PortInfo& port = built_.info.inputs.emplace_back(PortInfo{name, tensor});
    port.index_extent = extent ? extent.getInt() : 0;
  }
  return {};
}

Status ModuleBuilder::addOutputs(mlir::func::ReturnOp op) {
  const unsigned outputs = op.getNumOperands() - graph::countResults(main_);
  for (unsigned i = 0; i < outputs; ++i) {
    const std::string name = portName(main_.getResultAttr(i, "graph.name"), "output", i);
    VTA_ASSIGN_OR_RETURN(const uint32_t tensor, tensorOf(op.getOperand(i), name));
    steps_.keep(tensor);
    if (const graph::KeptCache* cache = text_.cacheOfOutput(name)) {
      built_.info.context.caches[cache_numbers_.at(cache->input)].rows = tensor;
      continue;
    }
    PortInfo& port = built_.info.outputs.emplace_back(PortInfo{name, tensor});
    const auto counted = graph::countOf(main_, i);
    if (!counted) continue;
    VTA_ASSIGN_OR_RETURN(const uint32_t count,
                         tensorOf(op.getOperand(counted->result), name + ".count"));
    steps_.keep(count);
    port.count = static_cast<int32_t>(count);
    port.count_axis = static_cast<uint32_t>(counted->axis);
  }
  return {};
}

template <typename T>
uint32_t ModuleBuilder::deviceConstant(const std::string& name, DType dtype,
                                       const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  const Tensor tensor{dtype, {static_cast<int64_t>(values.size())}, {bytes.begin(), bytes.end()}};
  return steps_.addConstant(name, tensor, steps_.constantsOf(vta()));
}

/// The constant that follows from kernel and schedule, if the buffer is one.
std::optional<uint32_t> ModuleBuilder::madeByLowering(const OffloadedOp& op,
                                                      std::string_view buffer) {
  if (mlir::isa<ProgramOp>(op.op)) return std::nullopt;
  const kernel::KernelDesc& desc = descOfBuffer(op, buffer);
  const std::string name = kernel::withoutProducerPrefix(buffer);
  if (name == kernel::kIdentityBuffer) {
    return deviceConstant("identity", DType::kI8, kernel::identityWeights(hw_));
  }
  if (name == kernel::kTableBuffer) {
    return deviceConstant("table", DType::kI32, kernel::tableWords(desc.table, hw_));
  }
  if (name == kernel::kPaddingBuffer) {
    const int64_t value = desc.geometry.pad_value;
    return deviceConstant("padding", DType::kI8, kernel::paddingElement(value, hw_));
  }
  return std::nullopt;
}

Result<std::vector<int32_t>> ModuleBuilder::bindBuffers(const Program& program,
                                                        const OffloadedOp& op) {
  const std::string layer = op.layer.str();
  std::vector<int32_t> buffers;
  for (const BufferDecl& buffer : program.buffers) {
    if (buffer.kind == BufferKind::kUop) {
      buffers.push_back(-1);
      continue;
    }
    if (const auto constant = madeByLowering(op, buffer.name)) {
      buffers.push_back(static_cast<int32_t>(*constant));
      continue;
    }
    mlir::Value value;
    for (const auto* named : {&op.operands, &op.outputs}) {
      const auto found =
          std::ranges::find(*named, buffer.name, [](const auto& one) { return one.first; });
      if (found != named->end()) value = found->second;
    }
    if (!value) {
      return internalError(
          fmt::format("layer '{}': no operand for the program's buffer '{}'", layer, buffer.name));
    }
    VTA_ASSIGN_OR_RETURN(const uint32_t tensor, tensorFor(vta(), value, layer + "." + buffer.name));
    buffers.push_back(static_cast<int32_t>(tensor));
  }
  return buffers;
}

/// The step without its entry, and its operands' and result's tensors.
Result<StepInfo> ModuleBuilder::addTensorsOf(const OffloadedOp& op) {
  const std::string layer = op.layer.str();
  StepInfo step;
  step.executor = vta();
  for (const auto& [name, operand] : op.operands) {
    VTA_ASSIGN_OR_RETURN(const uint32_t tensor,
                         tensorFor(vta(), operand, fmt::format("{}.{}", layer, name)));
    step.arguments.push_back(tensor);
  }
  for (const auto& [name, output] : op.outputs) {
    VTA_ASSIGN_OR_RETURN(const uint32_t result, addResult(output, layer));
    step.arguments.push_back(result);
  }
  step.num_results = static_cast<uint32_t>(op.outputs.size());
  auto reference = module_.lookupSymbol<mlir::func::FuncOp>(op.reference);
  if (!reference) return internalError(fmt::format("layer '{}' has no reference", layer));
  const std::string symbol = reference.getSymName().str();
  functions_.want(symbol);
  step.reference = static_cast<int32_t>(steps_.addFunction(symbol));
  return step;
}

Status ModuleBuilder::addOutlinedKernel(const OffloadedOp& op) {
  if (!mlir::isa<KernelOp>(op.op)) {
    return unsupported(fmt::format(
        "layer '{}' is a kernel of your own, which outlines have no form for: leave --kernels out",
        op.layer.str()));
  }
  VTA_ASSIGN_OR_RETURN(StepInfo step, addTensorsOf(op));
  OutlinedKernel kernel;
  kernel.desc = namedDesc(mlir::cast<KernelOp>(op.op));
  kernel.step = steps_.stepCount();
  kernel.tensors_before = steps_.tensorCount();
  ProgramInfo program;
  program.executor = vta();
  auto buffers = op.operands;
  buffers.insert(buffers.end(), op.outputs.begin(), op.outputs.end());
  for (const auto& [name, value] : buffers) {
    VTA_ASSIGN_OR_RETURN(const uint32_t tensor, tensorFor(vta(), value, ""));
    kernel.buffers.emplace_back(name, tensor);
    program.buffers.push_back(static_cast<int32_t>(tensor));
  }
  step.entry = steps_.addProgram(std::move(program));
  steps_.addStep(std::move(step), {op.layer.str(), op.kind.str(), "vta", "", op.macs});
  outline_->kernels.push_back(std::move(kernel));
  return {};
}

Status ModuleBuilder::addOffloaded(const OffloadedOp& op) {
  if (outline_) return addOutlinedKernel(op);
  auto kernel = mlir::dyn_cast<KernelOp>(op.op);
  VTA_ASSIGN_OR_RETURN(Program program, programOf(op, hw_));
  const std::string layer = op.layer.str();
  if (kernel) built_.schedules.push_back({layer, kernel.getSchedule()->getValue()});
  VTA_ASSIGN_OR_RETURN(StepInfo step, addTensorsOf(op));
  VTA_ASSIGN_OR_RETURN(std::vector<int32_t> buffers, bindBuffers(program, op));
  VTA_ASSIGN_OR_RETURN(ProgramInfo info,
                       appendProgram(vta(), program, hw_, built_.contents.programs));
  info.buffers = std::move(buffers);
  step.entry = steps_.addProgram(std::move(info));
  steps_.addStep(std::move(step), {layer, op.kind.str(), "vta", describeSchedule(op), op.macs});
  return {};
}

Status ModuleBuilder::addCall(mlir::func::CallOp op) {
  const std::string symbol = op.getCallee().str();
  auto callee = module_.lookupSymbol<mlir::func::FuncOp>(symbol);
  if (!callee) return internalError(fmt::format("a call of '{}', which is not there", symbol));
  VTA_ASSIGN_OR_RETURN(const codegen::Backend* backend, FunctionCode::backendOf(callee));
  StepInfo step;
  step.executor = functions_.executorOf(*backend);
  const bool is_program = steps_.runsPrograms(step.executor);
  functions_.want(symbol);
  const std::string layer = textAttribute(op, kLayerAttr, symbol);
  for (const mlir::Value operand : op.getOperands()) {
    const std::string name = layer + ".operand";
    VTA_ASSIGN_OR_RETURN(const uint32_t tensor, is_program ? tensorFor(step.executor, operand, name)
                                                           : tensorOf(operand, name));
    step.arguments.push_back(tensor);
  }
  for (const mlir::Value value : op.getResults()) {
    VTA_ASSIGN_OR_RETURN(const uint32_t tensor, addResult(value, layer));
    step.arguments.push_back(tensor);
  }
  step.num_results = op.getNumResults();
  if (is_program) {
    step.entry =
        steps_.addProgram({step.executor, {}, {step.arguments.begin(), step.arguments.end()}});
    VTA_ASSIGN_OR_RETURN(step.reference, functions_.wantReference(callee));
  } else {
    step.entry = steps_.addFunction(symbol);
  }
  const auto macs = op->getAttrOfType<mlir::IntegerAttr>(kMacsAttr);
  LayerInfo row{layer, textAttribute(op, kOpAttr, ""), std::string(backend->name()),
                textAttribute(op, kReasonAttr, ""), macs ? macs.getInt() : 0};
  steps_.addStep(std::move(step), std::move(row), symbol);
  return {};
}

Status ModuleBuilder::addOp(mlir::Operation& op) {
  if (mlir::isa<mlir::arith::ConstantOp>(op)) return {};  // read where it is used
  if (const auto offloaded = asOffloaded(&op)) return addOffloaded(*offloaded);
  if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op)) return addCall(call);
  if (auto concat = mlir::dyn_cast<ConcatOp>(op)) return addConcat(concat);
  if (auto slice = mlir::dyn_cast<SliceOp>(op)) {
    return addResult(slice.getOutput(), layerName(slice)).status();
  }
  if (auto ret = mlir::dyn_cast<mlir::func::ReturnOp>(op)) return addOutputs(ret);
  return internalError(fmt::format("operation '{}' is left over after partitioning",
                                   op.getName().getStringRef().str()));
}

/// Everything that stands in the IR: tensors, steps and ports.
Status ModuleBuilder::addModel() {
  main_ = module_.lookupSymbol<mlir::func::FuncOp>("main");
  if (!main_ || main_.isExternal()) return internalError("the module has no function 'main'");
  ModuleInfo& info = built_.info;
  info.model = model_name_;
  info.sdk_version = sdkVersion();
  const std::string& triple = options_.code.target.triple;
  info.target_triple = triple.empty() ? llvm::sys::getDefaultTargetTriple() : triple;
  if (!outline_) shareFunctions(module_);
  if (!options_.function_prefix.empty()) prefixFunctions(module_, options_.function_prefix);
  VTA_RETURN_IF_ERROR(functions_.findExecutors());
  VTA_RETURN_IF_ERROR(placeParts());
  VTA_RETURN_IF_ERROR(placeSlices());
  VTA_RETURN_IF_ERROR(addInputs());
  auto& ops = main_.getBody().front().getOperations();
  const auto total = static_cast<int64_t>(ops.size());
  int64_t done = 0;
  for (mlir::Operation& op : ops) {
    if (progress_) progress_("steps", done++, total);
    VTA_RETURN_IF_ERROR(addOp(op));
  }
  return {};
}

Result<ModuleOutline> ModuleBuilder::outline() {
  outline_.emplace();
  VTA_RETURN_IF_ERROR(addModel());
  (void)steps_.finish(built_.info);
  built_.info.actions = planActions(built_.info);
  outline_->info = std::move(built_.info);
  return *std::move(outline_);
}

Result<BuiltModule> ModuleBuilder::build() {
  VTA_RETURN_IF_ERROR(addModel());
  if (progress_) progress_("host code", 0, 1);
  main_.erase();
  VTA_RETURN_IF_ERROR(functions_.compile(options_.code, built_.contents));
  built_.contents.constants = steps_.finish(built_.info);
  VTA_RETURN_IF_ERROR(addActions(linkers_, built_.contents.programs, built_.info));
  return std::move(built_);
}

}  // namespace

Result<BuiltModule> buildModule(mlir::ModuleOp module, const std::string& model_name,
                                const HwConfig& hw, const BuildOptions& options,
                                const Progress& progress) {
  return ModuleBuilder(module, model_name, hw, options, progress).build();
}

Result<ModuleOutline> outlineModule(mlir::ModuleOp module, const std::string& model_name,
                                    const HwConfig& hw) {
  return ModuleBuilder(module, model_name, hw, {}, {}).outline();
}

}  // namespace vta::compiler
