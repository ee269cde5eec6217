#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/dialects/vta/vta.h"
#include "compiler/kernel/chain/chain_chooser.h"
#include "compiler/vta/common/hw_pass.h"
#include "compiler/vta/common/reference_functions.h"
#include "compiler/vta/lower/kernel_program.h"
#include "compiler/vta/passes.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace vta::compiler {

#define GEN_PASS_DEF_CHOOSECHAINSPASS
#include "compiler/vta/passes.h.inc"

namespace {

using mlir::func::FuncOp;

ChainScheduleAttr attributeOf(mlir::MLIRContext* context, const kernel::ChainSchedule& schedule) {
  return ChainScheduleAttr::get(context, ScheduleAttr::get(context, schedule.consumer),
                                schedule.producer_in_blocks, schedule.shares.inp,
                                schedule.shares.wgt, schedule.shares.acc);
}

class ChooseChainsPass : public HwPass<impl::ChooseChainsPassBase<ChooseChainsPass>> {
 public:
  using HwPass::HwPass;
  ChooseChainsPass(const HwConfig& hw, kernel::ScheduleHints hints)
      : HwPass(hw), hints_(std::move(hints)) {}

  void runOnOperation() override {
    if (by_floors) hints_.measure = kernel::measureFloors(hw_);
    const std::vector<KernelOp> ops = kernelsOf(getOperation());
    std::vector<kernel::ScheduledKernel> kernels;
    for (KernelOp op : ops) {
      const auto schedule = op.getSchedule();
      kernels.push_back({namedDesc(op), schedule ? schedule->getValue() : kernel::Schedule()});
    }
    const auto chains = kernel::chooseChains(kernels, pairsOf(ops), hw_, hints_);
    if (!chains.ok()) {
      emitUserError(mlir::UnknownLoc::get(&getContext()), chains.status().code())
          << chains.status().message();
      return signalPassFailure();
    }
    mlir::SymbolTable symbols(getOperation());
    for (const kernel::ChosenChain& chain : *chains) {
      join(ops[chain.pair.producer], ops[chain.pair.consumer], chain.schedule, symbols);
    }
  }

 private:
  // Kernels whose schedules the user has given stay as they are.
  static bool isFree(KernelOp op) {
    const auto origin = op.getScheduleOrigin();
    return op.getSchedule() && !op.getProgram() && origin && *origin != kGivenSchedule &&
           *origin != kKeptSchedule;
  }

  static std::vector<kernel::KernelPair> pairsOf(const std::vector<KernelOp>& ops) {
    llvm::DenseMap<mlir::Operation*, size_t> numbers;
    std::vector<kernel::KernelPair> pairs;
    for (size_t i = 0; i < ops.size(); ++i) {
      KernelOp consumer = ops[i];
      numbers[consumer] = i;
      auto producer = consumer.getInput().getDefiningOp<KernelOp>();
      if (!producer || !producer.getOutput().hasOneUse()) continue;
      if (!isFree(producer) || !isFree(consumer)) continue;
      pairs.push_back({numbers.at(producer), i});
    }
    return pairs;
  }

  void join(KernelOp producer, KernelOp consumer, const kernel::ChainSchedule& schedule,
            mlir::SymbolTable& symbols) {
    FuncOp reference = joinReferences(producer, consumer, symbols);
    mlir::OpBuilder builder(consumer);
    const auto both = [](llvm::StringRef first, llvm::StringRef second) {
      return (first + "+" + second).str();
    };
    auto chain = builder.create<ChainOp>(
        mlir::FusedLoc::get(builder.getContext(), {producer.getLoc(), consumer.getLoc()}),
        consumer.getOutput().getType(), reference.getSymName(), producer.getInput(),
        producer.getWeight(), producer.getParam(), consumer.getWeight(), consumer.getParam(),
        consumer.getResidual(), producer.getDesc(), consumer.getDesc(),
        attributeOf(&getContext(), schedule), /*program=*/nullptr,
        consumer.getWeightWidthBitsAttr(), both(producer.getLayer(), consumer.getLayer()),
        both(producer.getOp(), consumer.getOp()), producer.getMacs() + consumer.getMacs());
    consumer.getOutput().replaceAllUsesWith(chain.getOutput());
    for (KernelOp op : {consumer, producer}) {
      auto own = symbols.lookup<FuncOp>(op.getReference());
      op.erase();
      eraseIfUnused(own, symbols);
    }
  }

  /// A function of both kernels' operands that computes what their references do one after the
  /// other.
  FuncOp joinReferences(KernelOp producer, KernelOp consumer, mlir::SymbolTable& symbols) {
    auto first = symbols.lookup<FuncOp>(producer.getReference());
    auto second = symbols.lookup<FuncOp>(consumer.getReference());
    llvm::SmallVector<mlir::Type> inputs(first.getArgumentTypes());
    llvm::append_range(inputs, second.getArgumentTypes().drop_front());
    FuncOp both = first.cloneWithoutRegions();
    both.setSymName((first.getSymName() + "_" + second.getSymName()).str());
    both.setFunctionType(mlir::FunctionType::get(&getContext(), inputs, second.getResultTypes()));
    if (!first.isExternal() && !second.isExternal()) {
      mlir::Block* const body = both.addEntryBlock();
      auto builder = mlir::OpBuilder::atBlockBegin(body);
      const auto arguments = llvm::ArrayRef<mlir::BlockArgument>(body->getArguments());
      const size_t own = first.getNumArguments();
      const llvm::SmallVector<mlir::Value> of_first(arguments.take_front(own));
      const mlir::Value between = appendBody(builder, first, of_first);
      llvm::SmallVector<mlir::Value> of_second = {between};
      llvm::append_range(of_second, arguments.drop_front(own));
      const mlir::Value result = appendBody(builder, second, of_second);
      builder.create<mlir::func::ReturnOp>(second.getLoc(), result);
    }
    symbols.insert(both);
    return both;
  }

  /// Copies what `function` computes of `arguments`; returns its result.
  static mlir::Value appendBody(mlir::OpBuilder& builder, FuncOp function,
                                llvm::ArrayRef<mlir::Value> arguments) {
    mlir::IRMapping mapping;
    mlir::Block& body = function.getBody().front();
    for (const auto& [of_body, given] : llvm::zip_equal(body.getArguments(), arguments)) {
      mapping.map(of_body, given);
    }
    for (mlir::Operation& op : body.without_terminator()) builder.clone(op, mapping);
    return mapping.lookup(body.getTerminator()->getOperand(0));
  }

  kernel::ScheduleHints hints_;
};

}  // namespace

std::unique_ptr<mlir::Pass> createChooseChainsPass(const HwConfig& hw,
                                                   kernel::ScheduleHints hints) {
  return std::make_unique<ChooseChainsPass>(hw, std::move(hints));
}

}  // namespace vta::compiler
