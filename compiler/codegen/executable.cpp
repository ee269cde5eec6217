#include "compiler/codegen/executable.h"

#include <map>
#include <utility>

#include "base/bytes/aligned_bytes.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "module/host/host_threads.h"

namespace vta::codegen {
namespace {

struct Function {
  VtaHostFunction entry = nullptr;
  HostSignature signature;
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
    if (arguments.size() != function.signature.inputs + function.signature.results) {
      return invalidArgument("host function '" + name + "' takes " +
                             std::to_string(function.signature.inputs) + " inputs and " +
                             std::to_string(function.signature.results) + " results; got " +
                             std::to_string(arguments.size()) + " pointers");
    }
    const auto results = arguments.begin() + static_cast<ptrdiff_t>(function.signature.inputs);
    std::vector<void*> all(arguments.begin(), results);
    for (const AlignedBytes& constant : function.constants) all.push_back(constant.data());
    all.insert(all.end(), results, arguments.end());
    return threads_.call(function.entry, all.data());
  }

 private:
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  std::map<std::string, Function> functions_;
  HostThreads threads_;
};

std::map<std::string, HostSignature> signatures(mlir::ModuleOp module) {
  std::map<std::string, HostSignature> functions;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (!function.isPublic()) continue;
    functions[function.getName().str()] = {function.getNumArguments(), function.getNumResults()};
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
  const std::map<std::string, HostSignature> functions = signatures(module);
  VTA_ASSIGN_OR_RETURN(CompiledCode code, backend.compile(module, options));
  return load(std::move(code), functions, options.parallel ? 0 : 1);
}

Result<std::unique_ptr<Executable>> Executable::load(
    CompiledCode code, const std::map<std::string, HostSignature>& signatures,
    unsigned num_threads) {
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit) return jitError(jit.takeError());
  auto symbols = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!symbols) return jitError(symbols.takeError());
  (*jit)->getMainJITDylib().addGenerator(std::move(*symbols));
  for (const std::span<const std::byte> object : code.objects()) {
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(
        llvm::StringRef(reinterpret_cast<const char*>(object.data()), object.size()));
    if (auto error = (*jit)->addObjectFile(std::move(buffer))) return jitError(std::move(error));
  }
  std::map<std::string, Function> functions;
  for (const auto& [name, signature] : signatures) {
    Function& function = functions[name];
    function.signature = signature;
    auto address = (*jit)->lookup(name);
    if (!address) return jitError(address.takeError());
    function.entry = address->toPtr<VtaHostFunction>();
    const auto constants = code.constants.find(name);
    if (constants == code.constants.end()) continue;
    for (Tensor& constant : constants->second) {
      function.constants.push_back(AlignedBytes::take(std::move(constant.data)));
      if (function.constants.back().data() == nullptr) {
        return Status(StatusCode::kResourceExhausted, "not enough memory for the constants");
      }
    }
  }
  return std::unique_ptr<Executable>(
      std::make_unique<JitExecutable>(std::move(*jit), std::move(functions), num_threads));
}

}  // namespace vta::codegen
