// ONNX tensors as MLIR attributes.
#pragma once

#include <filesystem>

#include "base/status.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/MLIRContext.h"
#include "onnx/onnx_pb.h"

namespace vta::compiler {

/// The element type of a TensorProto::DataType; the error names types that we have none for.
Result<mlir::Type> elementType(int32_t onnx_type, mlir::MLIRContext& context);

/// The element type that values of a TensorProto::DataType are computed in: float32 for every float
/// type (but double with `keeps_double`), else elementType.
Result<mlir::Type> computedType(int32_t onnx_type, bool keeps_double, mlir::MLIRContext& context);

/// A constant with its floats converted to `type`; other elements stay.
mlir::DenseElementsAttr withElements(mlir::DenseElementsAttr elements, mlir::Type type);

/// Whether the elements have four bits. There is no type for values of that kind: as constants they
/// are read as elements of 8 bits.
bool isFourBit(const onnx::TensorProto& tensor);

/// A tensor's elements; those of four bits as 8. External data is read relative to `directory`,
/// which it may not leave.
Result<mlir::DenseElementsAttr> toAttribute(const onnx::TensorProto& tensor,
                                            const std::filesystem::path& directory,
                                            mlir::MLIRContext& context);

}  // namespace vta::compiler
