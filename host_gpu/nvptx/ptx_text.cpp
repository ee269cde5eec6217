#include "host_gpu/nvptx/ptx_text.h"

#include <mutex>
#include <tuple>

#include "host_gpu/llvm/compile_kernel.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/TargetSelect.h"

namespace vta::codegen {
namespace {

/// The oldest version of PTX that has the architecture: old drivers take it, too.
const char* versionFor(std::string_view architecture) {
  if (architecture == kPtxArchitecture) return "+ptx63";
  return architecture == "sm_80" ? "+ptx70" : "+ptx80";
}

void registerPtxTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

/// Without comments and empty lines, which are a tenth of a text.
std::string withoutComments(llvm::StringRef text) {
  std::string kept;
  while (!text.empty()) {
    llvm::StringRef line;
    std::tie(line, text) = text.split('\n');
    line = line.split("//").first.rtrim();
    if (!line.empty()) kept += line.str() + "\n";
  }
  return kept;
}

}  // namespace

Result<std::string> printPtx(llvm::Module& code, std::string_view architecture) {
  registerPtxTarget();
  const auto text =
      compileKernel(code, {"nvptx64-nvidia-cuda", std::string(architecture),
                           versionFor(architecture), llvm::CodeGenFileType::AssemblyFile});
  if (!text.ok()) return text.status().withContext("PTX");
  return withoutComments({text->data(), text->size()});
}

}  // namespace vta::codegen
