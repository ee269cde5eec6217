// The graph dialect itself, the class of its ops, and their enumerations.

#ifndef VTA_COMPILER_DIALECTS_GRAPH_OPS_BASE
#define VTA_COMPILER_DIALECTS_GRAPH_OPS_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::vta::graph";
  let summary = "Neural-network graphs with ONNX semantics";
  let description = [{
    Every op carries ONNX semantics on ranked tensors of static shape. Activations are NCHW. A function
    in this dialect takes the model's inputs and returns its outputs; constants are `arith.constant`.

    Two families share the ops:
    - float: what the frontend imports (f32, and integer tensors for indexes and shapes);
    - integer: what quantisation produces. Contractions take i8 and give exact i32 accumulators;
      element-wise i32 ops (`graph.binary`, `graph.qmul`, `graph.shr`, `graph.clip_int`) spell out the
      requantisation step by step; `graph.cast` to i8 keeps the low 8 bits.

    The location of an op is a NameLoc with the ONNX node's name. The discardable attributes
    `graph.scale` (f64) and `graph.zero_point` (i64) on the op that produces a quantised i8 tensor say
    what its integers mean; no pass may change results because of them.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let usePropertiesForAttributes = 1;
  let hasConstantMaterializer = 1;
}

class Graph_Op<string mnemonic, list<Trait> traits = []> :
    Op<Graph_Dialect, mnemonic, !listconcat([Pure], traits)> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Graph_Tensor : StaticShapeTensorOf<[AnyType]>;

//===------------------------------------------------------------------------------------------===//
// Enumerations
//===------------------------------------------------------------------------------------------===//

def Graph_UnaryKind : I32EnumAttr<"UnaryKind", "element-wise function of one operand", [
    I32EnumAttrCase<"relu", 0>, I32EnumAttrCase<"neg", 1>, I32EnumAttrCase<"abs", 2>,
    I32EnumAttrCase<"exp", 3>, I32EnumAttrCase<"log", 4>, I32EnumAttrCase<"sqrt", 5>,
    I32EnumAttrCase<"reciprocal", 6>, I32EnumAttrCase<"sigmoid", 7>, I32EnumAttrCase<"tanh", 8>,
    I32EnumAttrCase<"erf", 9>, I32EnumAttrCase<"floor", 10>, I32EnumAttrCase<"ceil", 11>,
    I32EnumAttrCase<"round", 12>, I32EnumAttrCase<"sign", 13>, I32EnumAttrCase<"leaky_relu", 14>,
    I32EnumAttrCase<"elu", 15>, I32EnumAttrCase<"selu", 16>, I32EnumAttrCase<"celu", 17>,
    I32EnumAttrCase<"hard_sigmoid", 18>, I32EnumAttrCase<"hard_swish", 19>,
    I32EnumAttrCase<"softplus", 20>, I32EnumAttrCase<"softsign", 21>,
    I32EnumAttrCase<"thresholded_relu", 22>, I32EnumAttrCase<"sin", 23>,
    I32EnumAttrCase<"cos", 24>, I32EnumAttrCase<"tan", 25>, I32EnumAttrCase<"asin", 26>,
    I32EnumAttrCase<"acos", 27>, I32EnumAttrCase<"atan", 28>, I32EnumAttrCase<"sinh", 29>,
    I32EnumAttrCase<"cosh", 30>, I32EnumAttrCase<"asinh", 31>, I32EnumAttrCase<"acosh", 32>,
    I32EnumAttrCase<"atanh", 33>, I32EnumAttrCase<"logical_not", 34>,
    I32EnumAttrCase<"bitwise_not", 35>, I32EnumAttrCase<"is_nan", 36>,
    I32EnumAttrCase<"is_inf", 37>, I32EnumAttrCase<"gelu", 38>, I32EnumAttrCase<"mish", 39>
  ]> { let cppNamespace = "::vta::graph"; }

def Graph_BinaryKind : I32EnumAttr<"BinaryKind", "element-wise function of two operands", [
    I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"sub", 1>, I32EnumAttrCase<"mul", 2>,
    I32EnumAttrCase<"div", 3>, I32EnumAttrCase<"min", 4>, I32EnumAttrCase<"max", 5>,
    I32EnumAttrCase<"pow", 6>, I32EnumAttrCase<"equal", 7>, I32EnumAttrCase<"less", 8>,
    I32EnumAttrCase<"less_equal", 9>, I32EnumAttrCase<"greater", 10>,
    I32EnumAttrCase<"greater_equal", 11>, I32EnumAttrCase<"logical_and", 12>,
    I32EnumAttrCase<"logical_or", 13>, I32EnumAttrCase<"logical_xor", 14>,
    I32EnumAttrCase<"mod", 15>, I32EnumAttrCase<"fmod", 16>, I32EnumAttrCase<"prelu", 17>,
    I32EnumAttrCase<"bitwise_and", 18>, I32EnumAttrCase<"bitwise_or", 19>,
    I32EnumAttrCase<"bitwise_xor", 20>, I32EnumAttrCase<"shift_left", 21>,
    I32EnumAttrCase<"shift_right", 22>
  ]> { let cppNamespace = "::vta::graph"; }

def Graph_ReduceKind : I32EnumAttr<"ReduceKind", "reduction", [
    I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"mean", 1>, I32EnumAttrCase<"max", 2>,
    I32EnumAttrCase<"min", 3>, I32EnumAttrCase<"prod", 4>, I32EnumAttrCase<"l1", 5>,
    I32EnumAttrCase<"l2", 6>, I32EnumAttrCase<"log_sum", 7>, I32EnumAttrCase<"log_sum_exp", 8>,
    I32EnumAttrCase<"sum_square", 9>
  ]> { let cppNamespace = "::vta::graph"; }

def Graph_PadMode : I32EnumAttr<"PadMode", "what padding holds", [
    I32EnumAttrCase<"constant", 0>, I32EnumAttrCase<"reflect", 1>, I32EnumAttrCase<"edge", 2>,
    I32EnumAttrCase<"wrap", 3>
  ]> { let cppNamespace = "::vta::graph"; }

#endif  // VTA_COMPILER_DIALECTS_GRAPH_OPS_BASE
