// What MLIR reports as diagnostics, as a Status.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"

namespace vta::compiler {

/// An error at `location` that the user can do something about, as `code` says. All other errors of
/// passes are taken for broken invariants of the compiler.
mlir::InFlightDiagnostic emitUserError(mlir::Location location, StatusCode code);

/// Collects the errors that MLIR reports while this is alive, instead of letting it print.
class DiagnosticCollector {
 public:
  explicit DiagnosticCollector(mlir::MLIRContext* context);

  /// The errors since the last call, each after the name of what it is about: "'conv1': ...; ...".
  std::string take();

  /// The same as a Status. With the code of the first emitUserError, if there was one; otherwise as
  /// an internal error that begins with "cannot `what`: ".
  Status takeStatus(std::string_view what);

 private:
  void add(mlir::Diagnostic& diagnostic);

  std::string message_;
  StatusCode code_ = StatusCode::kInternal;
  mlir::ScopedDiagnosticHandler handler_;
};

}  // namespace vta::compiler
