#include "tests/host_cpu/instructions.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

namespace vta::codegen::testing {
namespace {

/// Everything that LLVM wants for reading the code of one target.
class Reader {
 public:
  Reader(const llvm::Target& target, const llvm::Triple& triple, const std::string& cpu)
      : registers_(target.createMCRegInfo(triple.str())),
        assembler_(target.createMCAsmInfo(*registers_, triple.str(), llvm::MCTargetOptions())),
        instructions_(target.createMCInstrInfo()),
        // Every extension that the tests' CPUs have; a disassembler knows what it is told.
        cpu_(target.createMCSubtargetInfo(triple.str(), cpu, "")),
        context_(triple, assembler_.get(), registers_.get(), cpu_.get()),
        disassembler_(target.createMCDisassembler(*cpu_, context_)),
        printer_(target.createMCInstPrinter(triple, assembler_->getAssemblerDialect(), *assembler_,
                                            *instructions_, *registers_)) {}

  void read(llvm::StringRef code, Mnemonics& found) {
    const llvm::ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t*>(code.data()), code.size());
    for (uint64_t at = 0; at < bytes.size();) {
      llvm::MCInst instruction;
      uint64_t size = 0;
      const auto status =
          disassembler_->getInstruction(instruction, size, bytes.slice(at), at, llvm::nulls());
      if (status != llvm::MCDisassembler::Fail) found.add(mnemonicOf(instruction));
      at += std::max<uint64_t>(size, 1);  // literals between the code
    }
  }

 private:
  std::string mnemonicOf(const llvm::MCInst& instruction) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    printer_->printInst(&instruction, 0, "", *cpu_, stream);
    llvm::StringRef words = llvm::StringRef(text).trim();
    if (words.consume_front("{vex}")) words = words.ltrim();
    return words.take_until([](char c) { return c == '\t' || c == ' '; }).lower();
  }

  std::unique_ptr<llvm::MCRegisterInfo> registers_;
  std::unique_ptr<llvm::MCAsmInfo> assembler_;
  std::unique_ptr<llvm::MCInstrInfo> instructions_;
  std::unique_ptr<llvm::MCSubtargetInfo> cpu_;
  llvm::MCContext context_;
  std::unique_ptr<llvm::MCDisassembler> disassembler_;
  std::unique_ptr<llvm::MCInstPrinter> printer_;
};

}  // namespace

int Mnemonics::beginningWith(std::string_view prefix) const {
  int count = 0;
  for (const auto& [mnemonic, times] : counts_) {
    if (mnemonic.starts_with(prefix)) count += times;
  }
  return count;
}

std::string Mnemonics::text() const {
  std::string text;
  for (const auto& [mnemonic, times] : counts_) text += fmt::format(" {}x{}", mnemonic, times);
  return text;
}

Result<Mnemonics> mnemonicsOf(const CompiledCode& code, const std::string& triple,
                              const std::string& cpu) {
  LLVMInitializeX86Disassembler();
  LLVMInitializeAArch64Disassembler();
  LLVMInitializeARMDisassembler();
  const llvm::Triple parsed(llvm::Triple::normalize(triple));
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(parsed.str(), error);
  if (target == nullptr) return internalError(error);
  Mnemonics found;
  Reader reader(*target, parsed, cpu.empty() ? "cortex-a9" : cpu);
  for (const std::span<const std::byte> object : code.objects()) {
    const llvm::StringRef bytes(reinterpret_cast<const char*>(object.data()), object.size());
    auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(bytes, "code"));
    if (!file) return internalError(llvm::toString(file.takeError()));
    for (const llvm::object::SectionRef& section : (*file)->sections()) {
      if (section.isText()) reader.read(*section.getContents(), found);
    }
    for (const llvm::object::SymbolRef& symbol : (*file)->symbols()) {
      if (*symbol.getFlags() & llvm::object::SymbolRef::SF_Undefined) {
        found.addUndefined(symbol.getName()->str());
      }
    }
  }
  return found;
}

}  // namespace vta::codegen::testing
