// Where generated code meets module/host_abi.h: entry points and loops on several threads.
#pragma once

#include "llvm/IR/Module.h"

namespace vta::codegen {

/// VtaHostContext, with the fields of compiler/codegen/host_context.h.
llvm::StructType* hostContextType(llvm::LLVMContext& context);

/// Gives `implementation`(context, pointer...) the entry point `name`(context, arguments), and
/// makes it internal.
void addEntryPoint(llvm::Function& implementation, const std::string& name);

/// Defines `dispatch`(context, captured..., count), which calls `body`(captured..., begin, end) on
/// ranges of [0, count) through the context's parallel_for.
void defineDispatch(llvm::Function& dispatch, llvm::Function& body);

}  // namespace vta::codegen
