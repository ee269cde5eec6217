// Where generated code meets module/host_abi.h: entry points and loops on several threads.
#pragma once

#include "llvm/IR/Module.h"

namespace vta::codegen {

/// VtaHostContext: { uint32_t abi_version, num_threads; void* parallel_for; void* pool; void* fail;
/// void* call; void* mark; void* call_operator; }
llvm::StructType* hostContextType(llvm::LLVMContext& context);

/// Gives `implementation`(context, pointer...) the entry point `name`(context, arguments), and
/// makes it internal.
void addEntryPoint(llvm::Function& implementation, const std::string& name);

/// Defines `dispatch`(context, captured..., count), which calls `body`(captured..., begin, end) on
/// ranges of [0, count) through the context's parallel_for.
void defineDispatch(llvm::Function& dispatch, llvm::Function& body);

}  // namespace vta::codegen
