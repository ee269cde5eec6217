// Kernels as texts in languages that look like C: the statements that all of them share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "host_gpu/kernels/kernel_ir.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace vta::codegen {

/// What an op computes, as an expression with {0}, {1} and {2} for the names of its operands.
struct OpPattern {
  std::string_view op;  // "arith.addi"; what else tells ops apart stands behind a space:
                        // "arith.cmpi slt", "arith.xori i1", "arith.mului_extended 1" (the result)
  const char* pattern;
};

/// What languages call alike things.
struct Language {
  const char* name;
  const char *integer, *real;  // types of 32 bits; booleans are "bool"
  const char* barrier;
  /// Its own; those that look alike in all languages need not be there.
  llvm::ArrayRef<OpPattern> patterns;
};

/// Prints one kernel in one language.
class KernelPrinter {
 public:
  KernelPrinter(const KernelIr& kernel, const Language& language)
      : kernel_(kernel), language_(language) {}
  virtual ~KernelPrinter() = default;
  KernelPrinter(const KernelPrinter&) = delete;
  KernelPrinter& operator=(const KernelPrinter&) = delete;

  /// The function of `module`. Errors: kInternal with the name of an op without a form.
  Result<std::string> print(mlir::ModuleOp module);

 protected:
  virtual std::string integerConstant(int32_t value) const = 0;
  /// Bit for bit.
  virtual std::string realConstant(const llvm::APFloat& value) = 0;

  /// What stands around the statements of the function.
  virtual std::string complete(mlir::func::FuncOp function, const std::string& body) = 0;
  /// A value of this name that does not change, and one that does. Without `text` it is given
  /// later.
  virtual std::string value(const std::string& type, const std::string& name,
                            const std::string& text) const = 0;
  virtual std::string variable(const std::string& type, const std::string& name,
                               const std::string& text) const = 0;
  /// Accesses to `element`, an element of `buffer`.
  virtual std::string load(mlir::Value /*buffer*/, const std::string& element) { return element; }
  virtual std::string store(mlir::Value /*buffer*/, const std::string& element,
                            const std::string& value) {
    return element + " = " + value + ";";
  }
  /// Of bits, an "and" or an "or". Nobody asks for its result.
  virtual std::string atomic(const std::string& element, const std::string& value, bool is_and) = 0;
  /// Declares memory that the workgroup shares: a statement, or nothing if it stands elsewhere.
  virtual std::string shared(const std::string& element_type, const std::string& name,
                             int64_t elements) = 0;
  /// The first statement in a loop, if any.
  virtual std::string loopStart(mlir::scf::ForOp /*loop*/) const { return ""; }

  std::string name(mlir::Value value);
  /// What the elements of `buffer` are.
  std::string elementType(mlir::Value buffer);
  const KernelIr& kernel() const { return kernel_; }

 private:
  std::string typeOf(mlir::Type type);
  std::string constant(mlir::Attribute value);
  std::string element(mlir::Value buffer, mlir::ValueRange indices);
  void line(const std::string& text);
  void block(mlir::Block& body);
  void statement(mlir::Operation& op);
  void atomicStatement(mlir::memref::AtomicRMWOp atomic);
  void loopStatement(mlir::scf::ForOp loop);
  void branchStatement(mlir::scf::IfOp branch);
  void assign(mlir::Operation* parent, mlir::scf::YieldOp yield);
  std::string expression(mlir::Operation* op, unsigned result);
  const char* patternOf(const std::string& key) const;
  void miss(const std::string& what);

  const KernelIr& kernel_;
  const Language& language_;
  std::string text_;
  unsigned depth_ = 0, temporaries_ = 0;
  llvm::DenseMap<mlir::Value, std::string> names_;
  std::string missing_;  // the first thing without a form
};

}  // namespace vta::codegen
