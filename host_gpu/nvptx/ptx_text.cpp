#include "host_gpu/nvptx/ptx_text.h"

#include <mutex>
#include <tuple>

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

}  // namespace

Result<KernelBitcode> ptxBitcode(llvm::Module& code, std::string_view architecture) {
  registerPtxTarget();
  auto bitcode =
      kernelBitcode(code, {"nvptx64-nvidia-cuda", std::string(architecture),
                           versionFor(architecture), llvm::CodeGenFileType::AssemblyFile});
  return bitcode.ok() ? std::move(bitcode) : bitcode.status().withContext("PTX");
}

std::string keptPtx(std::string_view text) {
  std::string kept;
  llvm::StringRef line, rest = text;
  while (!rest.empty()) {
    std::tie(line, rest) = rest.split('\n');
    line = line.split("//").first.rtrim();
    if (!line.empty()) kept += line.str() + "\n";
  }
  return kept;
}

}  // namespace vta::codegen
