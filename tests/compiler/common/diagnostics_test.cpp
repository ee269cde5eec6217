#include "compiler/common/diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mlir/IR/BuiltinAttributes.h"

namespace vta::compiler {
namespace {

class DiagnosticsTest : public ::testing::Test {
 protected:
  mlir::Location named(const char* name) {
    return mlir::NameLoc::get(mlir::StringAttr::get(&context_, name));
  }
  mlir::Location nowhere() { return mlir::UnknownLoc::get(&context_); }

  mlir::MLIRContext context_;
  DiagnosticCollector collector_{&context_};
};

TEST_F(DiagnosticsTest, ErrorsAreNamedAndJoined) {
  mlir::emitError(named("conv1")) << "too wide";
  mlir::emitWarning(named("conv2")) << "narrow";
  mlir::emitError(mlir::FileLineColLoc::get(&context_, "net.mlir", 3, 5)) << "too deep";
  EXPECT_EQ(collector_.take(), "'conv1': too wide; net.mlir:3: too deep");
  EXPECT_EQ(collector_.take(), "");
}

TEST_F(DiagnosticsTest, OtherErrorsAreInternal) {
  mlir::emitError(nowhere()) << "no such value";
  const Status status = collector_.takeStatus("partition the graph");
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_EQ(status.message(), "cannot partition the graph: no such value");
}

TEST_F(DiagnosticsTest, UserErrorsKeepTheirCodeAndName) {
  emitUserError(nowhere(), StatusCode::kUnsupported) << "layer 'a' cannot run";
  emitUserError(named("b"), StatusCode::kInvalidArgument) << "bad";
  mlir::emitError(nowhere()) << "and so";
  const Status status = collector_.takeStatus("partition the graph");
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_EQ(status.message(), "layer 'a' cannot run; 'b': bad; and so");
  // Taken once, it is gone.
  mlir::emitError(nowhere()) << "broken";
  EXPECT_EQ(collector_.takeStatus("go on").code(), StatusCode::kInternal);
}

}  // namespace
}  // namespace vta::compiler
