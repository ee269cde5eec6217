#include "compiler/common/diagnostics.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "mlir/IR/BuiltinAttributes.h"

namespace vta::compiler {
namespace {

/// A diagnostic has no place for a code of ours: it travels as metadata of the location.
std::optional<StatusCode> codeOf(mlir::Location location) {
  const auto fused = mlir::dyn_cast<mlir::FusedLocWith<mlir::StringAttr>>(location);
  if (!fused) return std::nullopt;
  for (auto code = static_cast<int>(StatusCode::kInvalidArgument);
       code < static_cast<int>(StatusCode::kInternal); ++code) {
    if (fused.getMetadata() == statusCodeName(static_cast<StatusCode>(code))) {
      return static_cast<StatusCode>(code);
    }
  }
  return std::nullopt;
}

std::string describeLocation(mlir::Location location) {
  if (auto name = location->findInstanceOf<mlir::NameLoc>()) {
    return fmt::format("'{}': ", name.getName().str());
  }
  if (auto file = location->findInstanceOf<mlir::FileLineColLoc>()) {
    return fmt::format("{}:{}: ", file.getFilename().str(), file.getLine());
  }
  return "";
}

}  // namespace

mlir::InFlightDiagnostic emitUserError(mlir::Location location, StatusCode code) {
  mlir::MLIRContext* context = location.getContext();
  const auto metadata = mlir::StringAttr::get(context, statusCodeName(code));
  return mlir::emitError(mlir::FusedLoc::get({location}, metadata, context));
}

DiagnosticCollector::DiagnosticCollector(mlir::MLIRContext* context)
    : handler_(context, [this](mlir::Diagnostic& diagnostic) { add(diagnostic); }) {}

void DiagnosticCollector::add(mlir::Diagnostic& diagnostic) {
  if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error) return;
  if (code_ == StatusCode::kInternal) {
    code_ = codeOf(diagnostic.getLocation()).value_or(StatusCode::kInternal);
  }
  if (!message_.empty()) message_ += "; ";
  message_ += describeLocation(diagnostic.getLocation()) + diagnostic.str();
}

std::string DiagnosticCollector::take() {
  code_ = StatusCode::kInternal;
  return std::exchange(message_, {});
}

Status DiagnosticCollector::takeStatus(std::string_view what) {
  const StatusCode code = code_;
  std::string message = take();
  if (code != StatusCode::kInternal) return {code, std::move(message)};
  return internalError(fmt::format("cannot {}: {}", what, message));
}

}  // namespace vta::compiler
