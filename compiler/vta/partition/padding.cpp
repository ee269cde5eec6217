#include "compiler/vta/partition/padding.h"

#include <limits>

#include "compiler/dialects/graph/graph.h"
#include "mlir/IR/Builders.h"

namespace vta::compiler {

namespace {

using mlir::Value;

constexpr int64_t kLeast = std::numeric_limits<int8_t>::min();

bool isBytes(Value value) { return mlir::getElementTypeOrSelf(value).isSignlessInteger(8); }

template <typename Op>
void padExplicitly(Op op, int64_t value) {
  mlir::OpBuilder builder(op);
  const llvm::ArrayRef<int64_t> pads = op.getPads();
  const llvm::SmallVector<int64_t> low{0, 0, pads[0], pads[1]}, high{0, 0, pads[2], pads[3]};
  auto type = mlir::cast<mlir::RankedTensorType>(op.getInput().getType());
  llvm::SmallVector<int64_t> shape(type.getShape());
  for (size_t d = 0; d < shape.size(); ++d) shape[d] += low[d] + high[d];
  auto padded = builder.create<graph::PadOp>(
      op.getLoc(), mlir::RankedTensorType::get(shape, type.getElementType()), op.getInput(), low,
      high, graph::PadMode::constant, llvm::APFloat(static_cast<double>(value)));
  op.getInputMutable().assign(padded);
  op.setPads({0, 0, 0, 0});
}

template <typename Op>
void legaliseValue(Op op, bool least_is_legal) {
  const auto value = static_cast<int64_t>(op.getPadValue());
  if (value == 0 || (value == kLeast && least_is_legal)) return;
  padExplicitly(op, value);
  op.setPadValue(0);
}

}  // namespace

void legalisePadding(mlir::func::FuncOp function, const HwConfig& hw) {
  function.walk([&](mlir::Operation* op) {
    if (op->getNumOperands() == 0 || !isBytes(op->getOperand(0))) return;
    auto pads = op->getAttrOfType<mlir::DenseI64ArrayAttr>("pads");
    if (!pads || llvm::all_of(pads.asArrayRef(), [](int64_t p) { return p == 0; })) return;
    if (auto conv = mlir::dyn_cast<graph::ConvOp>(op)) {
      legaliseValue(conv, hw.params().ext_pad_min);
    } else if (auto sum = mlir::dyn_cast<graph::SumPoolOp>(op)) {
      legaliseValue(sum, true);
    }
  });
}

}  // namespace vta::compiler
