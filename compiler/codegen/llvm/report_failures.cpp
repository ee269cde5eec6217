#include "compiler/codegen/llvm/report_failures.h"

#include <vector>

#include "compiler/codegen/host_context.h"
#include "compiler/codegen/llvm/abi_glue.h"
#include "compiler/codegen/passes.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "module/host_abi.h"

namespace vta::codegen {
namespace {

/// `where`, `value` and `limit` as in VtaHostContext::fail.
void emitFail(llvm::IRBuilder<>& b, llvm::Value* host, VtaHostFailure failure, llvm::Value* where,
              llvm::Value* value, llvm::Value* limit) {
  auto* pointer = b.getPtrTy();
  auto* type = llvm::FunctionType::get(
      b.getVoidTy(), {pointer, b.getInt32Ty(), pointer, b.getInt64Ty(), b.getInt64Ty()}, false);
  llvm::Value* field = b.CreateStructGEP(hostContextType(b.getContext()), host,
                                         static_cast<unsigned>(HostField::kFail));
  b.CreateCall(type, b.CreateLoad(pointer, field), {host, b.getInt32(failure), where, value, limit})
      ->addFnAttr(llvm::Attribute::Cold);
}

void emitIndexReports(llvm::Module& module) {
  llvm::Function* report = module.getFunction(kFailIndexFunction);
  if (report == nullptr) return;
  for (llvm::User* user : llvm::make_early_inc_range(report->users())) {
    auto* call = llvm::cast<llvm::CallInst>(user);
    llvm::IRBuilder<> b(call);
    emitFail(b, call->getArgOperand(0), VTA_HOST_BAD_INDEX, call->getArgOperand(1),
             call->getArgOperand(2), call->getArgOperand(3));
    call->eraseFromParent();
  }
  report->eraseFromParent();
}

bool calls(const llvm::Instruction& instruction, llvm::StringRef name) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee != nullptr && callee->getName() == name;
}

/// An allocation, and those before it that the function has not freed when it is made.
struct Allocation {
  llvm::CallInst* call = nullptr;
  std::vector<llvm::CallInst*> held;
};

std::vector<Allocation> allocationsOf(llvm::Function& function) {
  std::vector<Allocation> allocations;
  std::vector<llvm::CallInst*> frees;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (calls(instruction, "aligned_alloc") || calls(instruction, "malloc")) {
      allocations.push_back({llvm::cast<llvm::CallInst>(&instruction), {}});
    }
    if (calls(instruction, "free")) frees.push_back(llvm::cast<llvm::CallInst>(&instruction));
  }
  if (allocations.size() < 2) return allocations;
  const llvm::DominatorTree dominators(function);
  const auto isFreedBefore = [&](const llvm::CallInst* other, const llvm::CallInst* call) {
    return llvm::any_of(frees, [&](const llvm::CallInst* free) {
      return free->getArgOperand(0) == other && dominators.dominates(free, call);
    });
  };
  for (Allocation& allocation : allocations) {
    for (const Allocation& other : allocations) {
      if (other.call != allocation.call && dominators.dominates(other.call, allocation.call) &&
          !isFreedBefore(other.call, allocation.call)) {
        allocation.held.push_back(other.call);
      }
    }
  }
  return allocations;
}

void checkAllocation(const Allocation& allocation) {
  llvm::CallInst* call = allocation.call;
  llvm::Function& function = *call->getFunction();
  llvm::LLVMContext& context = function.getContext();
  llvm::IRBuilder<> b(call->getNextNode());
  llvm::Value* is_null = b.CreateIsNull(call);
  llvm::Instruction* end =
      llvm::SplitBlockAndInsertIfThen(is_null, b.GetInsertPoint(), /*Unreachable=*/true,
                                      llvm::MDBuilder(context).createUnlikelyBranchWeights());
  b.SetInsertPoint(end);
  llvm::Value* bytes = call->getArgOperand(call->arg_size() - 1);
  emitFail(b, function.getArg(0), VTA_HOST_NO_MEMORY, llvm::ConstantPointerNull::get(b.getPtrTy()),
           b.CreateZExtOrTrunc(bytes, b.getInt64Ty()), b.getInt64(0));
  for (llvm::CallInst* held : allocation.held) {
    llvm::FunctionCallee free =
        function.getParent()->getOrInsertFunction("free", b.getVoidTy(), b.getPtrTy());
    b.CreateCall(free, held);
  }
  llvm::Type* result = function.getReturnType();
  if (result->isVoidTy()) {
    b.CreateRetVoid();
  } else {
    b.CreateRet(llvm::Constant::getNullValue(result));
  }
  end->eraseFromParent();
}

}  // namespace

void reportFailures(llvm::Module& module) {
  emitIndexReports(module);
  for (llvm::Function& function : module) {
    for (const Allocation& allocation : allocationsOf(function)) checkAllocation(allocation);
  }
}

}  // namespace vta::codegen
