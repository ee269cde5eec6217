#include "compiler/codegen/llvm/target.h"

#include <mutex>

#include "base/closest_name.h"
#include "base/cpu_features.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

namespace vta::codegen {
namespace {

constexpr const char* kKnownTriples = "x86_64-linux-gnu, aarch64-linux-gnu, armv7-linux-gnueabihf";

void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeARMTargetInfo();
    LLVMInitializeARMTarget();
    LLVMInitializeARMTargetMC();
    LLVMInitializeARMAsmPrinter();
  });
}

std::string hostFeatures() {
  std::string features;
  for (const auto& [name, enabled] : llvm::sys::getHostCPUFeatures()) {
    if (!features.empty()) features += ",";
    features.append(1, enabled ? '+' : '-').append(name.str());
  }
  return features;
}

bool isKnown(const llvm::Triple& triple) {
  if (!triple.isOSLinux()) return false;
  switch (triple.getArch()) {
    case llvm::Triple::x86_64:
    case llvm::Triple::aarch64:
      return true;
    case llvm::Triple::arm:
      return triple.getEnvironment() == llvm::Triple::GNUEABIHF;
    default:
      return false;
  }
}

/// Features that every CPU of the family that we support has, beyond LLVM's generic model.
const char* baselineFeatures(const llvm::Triple& triple) {
  return triple.getArch() == llvm::Triple::arm ? "+neon,+vfp3" : "";
}

llvm::CodeGenOptLevel codeGenLevel(CodeQuality quality) {
  switch (quality) {
    case CodeQuality::kDraft:
      return llvm::CodeGenOptLevel::None;
    case CodeQuality::kQuick:
      return llvm::CodeGenOptLevel::Default;
    case CodeQuality::kFull:
      break;
  }
  return llvm::CodeGenOptLevel::Aggressive;
}

std::vector<std::string> knownCpus(const llvm::MCSubtargetInfo& info) {
  return namesOf(info.getAllProcessorDescriptions(), &llvm::SubtargetSubTypeKV::Key);
}

}  // namespace

Result<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const CodeTarget& target,
                                                                 CodeQuality quality) {
  initializeTargets();
  const llvm::Triple host(llvm::Triple::normalize(llvm::sys::getDefaultTargetTriple()));
  const llvm::Triple triple(target.triple.empty() ? host.str()
                                                  : llvm::Triple::normalize(target.triple));
  std::string error;
  const llvm::Target* found =
      isKnown(triple) ? llvm::TargetRegistry::lookupTarget(triple.str(), error) : nullptr;
  if (!found) {
    return invalidArgument("unknown target '" + target.triple + "'; known: " + kKnownTriples);
  }
  const bool native =
      triple.getArch() == host.getArch() && triple.getOS() == host.getOS() && target.triple.empty();
  std::string cpu = target.cpu, features = target.features;
  if (cpu.empty()) {
    cpu = native ? llvm::sys::getHostCPUName().str() : "generic";
    if (features.empty()) features = native ? hostFeatures() : baselineFeatures(triple);
  }
  // Asked without a CPU first: an unknown one would be reported on stderr.
  std::unique_ptr<llvm::MCSubtargetInfo> cpus(found->createMCSubtargetInfo(triple.str(), "", ""));
  if (!cpus || !cpus->isCPUStringValid(cpu)) {
    const std::vector<std::string> known = cpus ? knownCpus(*cpus) : std::vector<std::string>();
    return invalidArgument("unknown CPU '" + cpu + "' for target '" + triple.str() +
                           "'; known: " + llvm::join(known, ", ") + suggestion(cpu, known));
  }
  llvm::TargetOptions options;
  // Nothing may depend on whether the compiler contracts a * b + c: kernels that want fused
  // multiply-adds say so.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(
      found->createTargetMachine(triple.str(), cpu, features, options, llvm::Reloc::PIC_,
                                 llvm::CodeModel::Small, codeGenLevel(quality)));
  if (!machine) return internalError("no code generator for target '" + triple.str() + "'");
  return machine;
}

std::vector<std::string> cpuFeatures(const llvm::TargetMachine& machine) {
  CpuFamily family = CpuFamily::kOther;
  const llvm::Triple::ArchType arch = machine.getTargetTriple().getArch();
  if (arch == llvm::Triple::x86_64) family = CpuFamily::kX86_64;
  if (arch == llvm::Triple::aarch64) family = CpuFamily::kAArch64;
  if (arch == llvm::Triple::arm) family = CpuFamily::kArm;
  std::vector<std::string> features;
  for (const std::string_view name : cpuFeatureNames(family)) {
    if (machine.getMCSubtargetInfo()->checkFeatures(std::string("+").append(name))) {
      features.emplace_back(name);
    }
  }
  return features;
}

namespace {

/// Vectors of NEON, which are what LLVM takes for our types on processors with SVE, too.
void setArmByteProducts(const llvm::MCSubtargetInfo& cpu, CpuTraits& traits) {
  if (cpu.checkFeatures("+dotprod")) traits.byte_products = ByteProducts::kSignedQuads;
  if (cpu.checkFeatures("+i8mm")) traits.byte_products = ByteProducts::kMixedQuads;
}

void setByteProducts(const llvm::MCSubtargetInfo& cpu, CpuTraits& traits) {
  traits.byte_products = ByteProducts::kPairs;
  if (cpu.checkFeatures("+avx512bw")) {
    traits.byte_product_bytes = 64;
  } else if (cpu.checkFeatures("+avx2")) {
    traits.byte_product_bytes = 32;
  }
  const bool has_quads = cpu.checkFeatures("+avx512bw")
                             ? cpu.checkFeatures("+avx512vnni")
                             : cpu.checkFeatures("+avx2") && cpu.checkFeatures("+avxvnni");
  if (has_quads) traits.byte_products = ByteProducts::kQuads;
}

}  // namespace

CpuTraits cpuTraits(const llvm::TargetMachine& machine) {
  const llvm::MCSubtargetInfo& cpu = *machine.getMCSubtargetInfo();
  CpuTraits traits;
  traits.pointer_bits = machine.getPointerSizeInBits(0);
  switch (machine.getTargetTriple().getArch()) {
    case llvm::Triple::x86_64:
      traits.has_fma = cpu.checkFeatures("+fma");
      traits.vector_bytes = cpu.checkFeatures("+avx") ? 32 : 16;
      if (cpu.checkFeatures("+avx512f")) {
        traits.vector_bytes = 64;
        traits.vector_registers = 32;
      }
      setByteProducts(cpu, traits);
      break;
    case llvm::Triple::aarch64:
      traits.has_fma = true;
      traits.vector_registers = 32;
      setArmByteProducts(cpu, traits);
      break;
    default:
      traits.has_fma = cpu.checkFeatures("+vfp4");
      break;
  }
  return traits;
}

}  // namespace vta::codegen
