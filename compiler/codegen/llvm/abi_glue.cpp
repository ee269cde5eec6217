#include "compiler/codegen/llvm/abi_glue.h"

#include <string>
#include <vector>

#include "compiler/codegen/host_context.h"
#include "llvm/IR/IRBuilder.h"

namespace vta::codegen {

llvm::StructType* hostContextType(llvm::LLVMContext& context) {
  auto* i32 = llvm::Type::getInt32Ty(context);
  auto* pointer = llvm::PointerType::getUnqual(context);
  std::vector<llvm::Type*> fields = {i32, i32};
  fields.insert(fields.end(), kHostPointers, pointer);
  return llvm::StructType::get(context, fields);
}

namespace {

/// VtaLoopBody that unpacks its closure and calls `body`.
llvm::Function* createThunk(llvm::Function& body, llvm::StructType* closure_type) {
  llvm::LLVMContext& context = body.getContext();
  auto* pointer = llvm::PointerType::getUnqual(context);
  auto* i64 = llvm::Type::getInt64Ty(context);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, i64, i64}, false);
  auto* thunk = llvm::Function::Create(type, llvm::Function::InternalLinkage,
                                       body.getName() + ".thunk", *body.getParent());
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "", thunk));
  std::vector<llvm::Value*> arguments;
  for (unsigned i = 0; i < closure_type->getNumElements(); ++i) {
    llvm::Value* field = b.CreateStructGEP(closure_type, thunk->getArg(0), i);
    arguments.push_back(b.CreateLoad(closure_type->getElementType(i), field));
  }
  llvm::Type* index = body.getArg(body.arg_size() - 1)->getType();
  arguments.push_back(b.CreateTrunc(thunk->getArg(1), index));
  arguments.push_back(b.CreateTrunc(thunk->getArg(2), index));
  b.CreateCall(&body, arguments);
  b.CreateRetVoid();
  return thunk;
}

}  // namespace

void addEntryPoint(llvm::Function& implementation, const std::string& name) {
  llvm::LLVMContext& context = implementation.getContext();
  implementation.setName(name + ".implementation");
  implementation.setLinkage(llvm::Function::InternalLinkage);
  auto* pointer = llvm::PointerType::getUnqual(context);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, pointer}, false);
  auto* entry = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name,
                                       *implementation.getParent());
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "", entry));
  std::vector<llvm::Value*> arguments = {entry->getArg(0)};
  for (unsigned i = 1; i < implementation.arg_size(); ++i) {
    llvm::Value* slot = b.CreateConstGEP1_32(pointer, entry->getArg(1), i - 1);
    arguments.push_back(b.CreateLoad(pointer, slot));
  }
  b.CreateCall(&implementation, arguments);
  b.CreateRetVoid();
}

void defineDispatch(llvm::Function& dispatch, llvm::Function& body) {
  llvm::LLVMContext& context = dispatch.getContext();
  dispatch.setLinkage(llvm::Function::InternalLinkage);
  body.setLinkage(llvm::Function::InternalLinkage);
  // Inlined, the body would lose what its signature says about aliasing.
  body.addFnAttr(llvm::Attribute::NoInline);
  const unsigned captured = dispatch.arg_size() - 2;
  std::vector<llvm::Type*> fields;
  for (unsigned i = 0; i < captured; ++i) fields.push_back(dispatch.getArg(i + 1)->getType());
  auto* closure_type = llvm::StructType::get(context, fields);
  llvm::Function* thunk = createThunk(body, closure_type);

  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "", &dispatch));
  llvm::Value* closure = b.CreateAlloca(closure_type);
  for (unsigned i = 0; i < captured; ++i) {
    b.CreateStore(dispatch.getArg(i + 1), b.CreateStructGEP(closure_type, closure, i));
  }
  auto* pointer = llvm::PointerType::getUnqual(context);
  auto* i64 = llvm::Type::getInt64Ty(context);
  llvm::Value* field = b.CreateStructGEP(hostContextType(context), dispatch.getArg(0),
                                         static_cast<unsigned>(HostField::kParallelFor));
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                       {pointer, pointer, pointer, i64}, false);
  llvm::Value* count = b.CreateSExt(dispatch.getArg(captured + 1), i64);
  b.CreateCall(type, b.CreateLoad(pointer, field), {dispatch.getArg(0), thunk, closure, count});
  b.CreateRetVoid();
}

}  // namespace vta::codegen
