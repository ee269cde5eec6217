#include "compiler/codegen/executable.h"

#include <cstring>
#include <map>

#include "base/aligned_bytes.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "module/host_threads.h"

namespace vta::codegen {
namespace {

struct Function {
  VtaHostFunction entry = nullptr;
  size_t num_inputs = 0, num_results = 0;
  std::vector<AlignedBytes> constants;
};

class JitExecutable : public Executable {
 public:
  JitExecutable(std::unique_ptr<llvm::orc::LLJIT> jit, std::map<std::string, Function> functions,
                unsigned num_threads)
      : jit_(std::move(jit)), functions_(std::move(functions)), threads_(num_threads) {}

  Status call(const std::string& name, std::span<void* const> arguments) override {
    auto found = functions_.find(name);
    if (found == functions_.end()) return notFound("no host function '" + name + "'");
    const Function& function = found->second;
    if (arguments.size() != function.num_inputs + function.num_results) {
      return invalidArgument("host function '" + name + "' takes " +
                             std::to_string(function.num_inputs) + " inputs and " +
                             std::to_string(function.num_results) + " results; got " +
                             std::to_string(arguments.size()) + " pointers");
    }
    const auto results = arguments.begin() + static_cast<ptrdiff_t>(function.num_inputs);
    std::vector<void*> all(arguments.begin(), results);
    for (const AlignedBytes& constant : function.constants) all.push_back(constant.data());
    all.insert(all.end(), results, arguments.end());
    function.entry(threads_.context(), all.data());
    return {};
  }

 private:
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  std::map<std::string, Function> functions_;
  HostThreads threads_;
};

std::map<std::string, Function> signatures(mlir::ModuleOp module) {
  std::map<std::string, Function> functions;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (!function.isPublic()) continue;
    Function& entry = functions[function.getName().str()];
    entry.num_inputs = function.getNumArguments();
    entry.num_results = function.getNumResults();
  }
  return functions;
}

Status jitError(llvm::Error error) {
  return internalError("loading compiled host code: " + llvm::toString(std::move(error)));
}

}  // namespace

Result<std::unique_ptr<Executable>> Executable::create(mlir::ModuleOp module,
                                                       const Backend& backend,
                                                       const CodeOptions& options) {
  if (!options.target.triple.empty()) {
    return invalidArgument("host code for '" + options.target.triple +
                           "' cannot run in this process");
  }
  std::map<std::string, Function> functions = signatures(module);
  VTA_ASSIGN_OR_RETURN(CompiledCode code, backend.compile(module, options));
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit) return jitError(jit.takeError());
  auto symbols = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!symbols) return jitError(symbols.takeError());
  (*jit)->getMainJITDylib().addGenerator(std::move(*symbols));
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(
      llvm::StringRef(reinterpret_cast<const char*>(code.elf.data()), code.elf.size()));
  if (auto error = (*jit)->addObjectFile(std::move(buffer))) return jitError(std::move(error));
  for (auto& [name, function] : functions) {
    auto address = (*jit)->lookup(name);
    if (!address) return jitError(address.takeError());
    function.entry = address->toPtr<VtaHostFunction>();
    for (const Tensor& constant : code.constants[name]) {
      AlignedBytes& copy = function.constants.emplace_back(constant.sizeBytes());
      if (copy.data() == nullptr) {
        return Status(StatusCode::kResourceExhausted, "not enough memory for the constants");
      }
      std::memcpy(copy.data(), constant.data.data(), constant.sizeBytes());
    }
  }
  return std::unique_ptr<Executable>(std::make_unique<JitExecutable>(
      std::move(*jit), std::move(functions), options.parallel ? 0 : 1));
}

}  // namespace vta::codegen
