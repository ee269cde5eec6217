// What the compiler computes of constants is what compiled code computes of the same numbers: all
// ops that graph::evaluate knows, on all element types, with the values at their edges.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/dialects/graph/element_type.h"
#include "compiler/dialects/graph/evaluate.h"
#include "compiler/dialects/graph/graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "tests/host_cpu/host_test_support.h"

namespace vta::codegen::testing {
namespace {

using graph::ConstantTensor;

struct ElementKind {
  DType dtype;
  const char* name;  // in IR
  bool is_computed;  // else it is only moved and converted: the import computes in f32 instead
};

constexpr ElementKind kKinds[] = {
    {DType::kF32, "f32", true},    {DType::kF64, "f64", true},  {DType::kF16, "f16", false},
    {DType::kBF16, "bf16", false}, {DType::kBool, "i1", true},  {DType::kI8, "i8", true},
    {DType::kI16, "i16", true},    {DType::kI32, "i32", true},  {DType::kI64, "i64", true},
    {DType::kU8, "ui8", true},     {DType::kU16, "ui16", true}, {DType::kU32, "ui32", true},
    {DType::kU64, "ui64", true}};

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

std::string typeOf(const ElementKind& kind, const std::vector<int64_t>& shape) {
  std::string text = "tensor<";
  for (const int64_t extent : shape) text += fmt::format("{}x", extent);
  return text + kind.name + ">";
}

/// What floats of all sizes find hard: limits of integers and of floats, halves, signs.
std::vector<double> edgesOfFloats() {
  std::vector<double> values = {0, 0.5, 1, 1.5, 2, 2.5, 3, 100, 1e-3, 1e-30, 1e10, 1e30};
  for (const int bits : {7, 8, 15, 16, 24, 31, 32, 53, 63, 64}) {
    for (const double away : {-1.0, 0.0, 1.0, 0.5}) values.push_back(std::ldexp(1, bits) + away);
  }
  values.insert(values.end(), {65504, 65520, 3.4028234663852886e38, 1e-45, kInfinite});
  const size_t positive = values.size();
  for (size_t i = 0; i < positive; ++i) values.push_back(-values[i]);
  values.push_back(kNotANumber);
  return values;
}

std::vector<int64_t> edgesOfIntegers() {
  std::vector<int64_t> values = {0, 1, 2, 3, 5, 7, 10, 200, 256};
  for (const int bits : {7, 8, 15, 16, 24, 31, 32, 53}) {
    for (const int64_t away : {-1, 0, 1}) values.push_back((int64_t{1} << bits) + away);
  }
  values.push_back(INT64_MAX);
  const size_t positive = values.size();
  for (size_t i = 0; i < positive; ++i) values.push_back(-values[i]);
  values.insert(values.end(), {INT64_MIN, INT64_MIN + 1});
  return values;
}

mlir::Type parsedType(const ElementKind& kind, mlir::MLIRContext& context);

/// The operand's elements: edges first, then random bits; a tensor of `shape` repeats them.
class Operands {
 public:
  explicit Operands(mlir::MLIRContext& context) : context_(context) {}

  /// `allowed` leaves values out.
  Tensor make(const ElementKind& kind, const std::vector<int64_t>& shape, unsigned seed,
              const std::function<bool(double)>& allowed) const {
    mlir::MLIRContext& context = context_;
    const auto count = graph::elementCount(shape);
    ConstantTensor tensor(mlir::RankedTensorType::get(shape, parsedType(kind, context)));
    std::mt19937_64 random(seed);
    if (tensor.isFloat()) {
      std::vector<double> pool, values;
      for (const double x : edgesOfFloats()) {
        if (allowed(x)) pool.push_back(x);
      }
      for (int i = 0; i < 16; ++i) {
        const double x = std::uniform_real_distribution<double>(-9, 9)(random);
        if (allowed(x)) pool.push_back(x);
      }
      for (int64_t i = 0; i < count; ++i) values.push_back(pool[(i + seed) % pool.size()]);
      tensor.setDoubles(values);
    } else {
      std::vector<int64_t> pool, values;
      // Edges of other types have these low bits.
      for (const int64_t x : edgesOfIntegers()) pool.push_back(x);
      for (int i = 0; i < 16; ++i) pool.push_back(static_cast<int64_t>(random()));
      std::erase_if(pool, [&](int64_t x) { return !isAllowed(tensor, x, allowed); });
      for (int64_t i = 0; i < count; ++i) values.push_back(pool[(i + seed) % pool.size()]);
      tensor.setIntegers(values);
    }
    Tensor result = Tensor::zeros(kind.dtype, shape);
    if (!result.data.empty()) std::memcpy(result.data.data(), tensor.data(), result.data.size());
    return result;
  }

 private:
  /// Whether what is stored of `x` is allowed.
  static bool isAllowed(const ConstantTensor& like, int64_t x,
                        const std::function<bool(double)>& allowed) {
    ConstantTensor one(mlir::RankedTensorType::get({}, like.type().getElementType()));
    one.setIntegers(x);
    return allowed(one.asDoubles()[0]);
  }

  mlir::MLIRContext& context_;
};

ConstantTensor constantOf(const Tensor& tensor, mlir::Type element) {
  ConstantTensor result(mlir::RankedTensorType::get(tensor.shape, element));
  if (!tensor.data.empty()) std::memcpy(result.data(), tensor.data.data(), tensor.data.size());
  return result;
}

struct Case {
  std::string name, text;  // text: a module with the function `name`
  std::vector<Tensor> inputs;
  std::vector<mlir::DenseElementsAttr> operands;
  mlir::DenseElementsAttr folded;
  double tolerance = 0;  // relative and absolute, in units of the last place near one
};

class FoldingTest : public ::testing::Test {
 protected:
  FoldingTest() {
    context_.loadDialect<graph::GraphDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect>();
  }

  struct Operand {
    ElementKind kind;
    std::vector<int64_t> shape;
    std::function<bool(double)> allowed = [](double) { return true; };
  };

  /// Adds a case if the verifier takes the op and evaluate knows it on these operands. `op` is
  /// "graph.unary relu" and the like, `attributes` what follows the operands.
  bool add(const std::string& op, const std::string& attributes,
           const std::vector<Operand>& operands, const std::string& result, double tolerance = 0) {
    Case added;
    added.name = fmt::format("f{}", cases_.size());
    added.tolerance = tolerance;
    std::vector<std::string> arguments, names, types;
    for (size_t i = 0; i < operands.size(); ++i) {
      const Operand& operand = operands[i];
      types.push_back(typeOf(operand.kind, operand.shape));
      names.push_back(fmt::format("%a{}", i));
      arguments.push_back(fmt::format("%a{}: {}", i, types.back()));
      added.inputs.push_back(Operands(context_).make(
          operand.kind, operand.shape, static_cast<unsigned>(7 * i), operand.allowed));
      added.operands.push_back(
          constantOf(added.inputs.back(), parsedType(operand.kind, context_)).toAttribute());
    }
    added.text = fmt::format(
        "func.func @{0}({1}) -> {2} {{\n  %y = {3} {4} {5} : ({6}) -> {2}\n  return %y : {2}\n}}\n",
        added.name, fmt::join(arguments, ", "), result, op, fmt::join(names, ", "), attributes,
        fmt::join(types, ", "));
    added.folded = fold(added);
    if (!added.folded) return false;
    cases_.push_back(std::move(added));
    return true;
  }

  /// Compiles all cases at once, runs each and compares it with what was folded.
  void check() {
    std::string text;
    for (const Case& c : cases_) text += c.text;
    auto compiled = CompiledText::create(text);
    ASSERT_TRUE(compiled.ok()) << compiled.status().message();
    for (const Case& c : cases_) {
      auto results = compiled->run(c.name, c.inputs);
      ASSERT_TRUE(results.ok()) << results.status().message();
      compare(c, (*results)[0]);
    }
  }

  mlir::MLIRContext context_;
  std::vector<Case> cases_;

 private:
  mlir::DenseElementsAttr fold(const Case& c) {
    mlir::ScopedDiagnosticHandler quiet(&context_,
                                        [](mlir::Diagnostic&) { return mlir::success(); });
    auto module = mlir::parseSourceString<mlir::ModuleOp>(c.text, &context_);
    if (!module) return {};
    mlir::Operation& op = (*module->getOps<mlir::func::FuncOp>().begin()).front().front();
    return graph::evaluate(&op, c.operands);
  }

  static void compare(const Case& c, const Tensor& found) {
    const mlir::Type element = c.folded.getElementType();
    const ConstantTensor folded(c.folded), run = constantOf(found, element);
    if (!folded.isFloat()) {
      const auto a = folded.asIntegers(), b = run.asIntegers();
      for (size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a[i], b[i]) << described(c, i);
      return;
    }
    const auto a = folded.asDoubles(), b = run.asDoubles();
    for (size_t i = 0; i < a.size(); ++i) {
      if (std::isnan(a[i]) && std::isnan(b[i])) continue;
      const bool is_same = a[i] == b[i] && std::signbit(a[i]) == std::signbit(b[i]);
      if (is_same) continue;
      ASSERT_GT(c.tolerance, 0) << a[i] << " folded, " << b[i] << " run; " << described(c, i);
      ASSERT_NEAR(a[i], b[i], c.tolerance * (1 + std::abs(a[i]))) << described(c, i);
    }
  }

  /// The case, and the operands' elements for result `i` where they have its shape.
  static std::string described(const Case& c, size_t i) {
    std::string text = fmt::format("element {} of\n{}", i, c.text);
    for (size_t k = 0; k < c.operands.size(); ++k) {
      const auto values = ConstantTensor(c.operands[k]).asDoubles();
      const auto shape = c.inputs[k].shape;
      // Binary cases pair all of one operand with all of the other.
      const size_t at = shape.size() == 2 && shape[1] == 1 ? i / values.size() : i % values.size();
      if (at < values.size()) text += fmt::format("operand {} may be {}\n", k, values[at]);
    }
    return text;
  }
};

mlir::Type parsedType(const ElementKind& kind, mlir::MLIRContext& context) {
  if (kind.name == std::string_view("f16")) return mlir::FloatType::getF16(&context);
  if (kind.name == std::string_view("bf16")) return mlir::FloatType::getBF16(&context);
  if (kind.name == std::string_view("f32")) return mlir::FloatType::getF32(&context);
  if (kind.name == std::string_view("f64")) return mlir::FloatType::getF64(&context);
  const auto bits =
      static_cast<unsigned>(std::stoi(std::string(kind.name).substr(kind.name[0] == 'u' ? 2 : 1)));
  return kind.name[0] == 'u' ? mlir::IntegerType::get(&context, bits, mlir::IntegerType::Unsigned)
                             : mlir::IntegerType::get(&context, bits);
}

bool isFloatKind(const ElementKind& kind) { return isFloat(kind.dtype); }
bool isBool(const ElementKind& kind) { return kind.dtype == DType::kBool; }
const ElementKind kBoolKind = kKinds[4];

TEST_F(FoldingTest, ConversionsBetweenAllTypes) {
  for (const ElementKind& from : kKinds) {
    for (const ElementKind& to : kKinds) {
      EXPECT_TRUE(add("graph.cast", "", {{from, {140}}}, typeOf(to, {140})))
          << from.name << " to " << to.name;
    }
  }
  check();
}

TEST_F(FoldingTest, UnaryFunctions) {
  size_t kinds = 0;
  for (uint32_t i = 0; graph::symbolizeUnaryKind(i); ++i, ++kinds) {
    const graph::UnaryKind kind = *graph::symbolizeUnaryKind(i);
    const std::string op = "graph.unary " + graph::stringifyUnaryKind(kind).str();
    const bool is_test = kind == graph::UnaryKind::is_nan || kind == graph::UnaryKind::is_inf;
    for (const ElementKind& element : kKinds) {
      const bool is_logical = kind == graph::UnaryKind::logical_not;
      if (!element.is_computed || (isBool(element) && !is_logical)) continue;
      // A few operations, each off by a unit or two.
      const double tolerance = element.dtype == DType::kF64 ? 1e-14 : 1e-6;
      Operand operand{element, {150}};
      // Beyond, the functions of angles of floats have no digits that two implementations share.
      const bool is_angle = kind == graph::UnaryKind::sin || kind == graph::UnaryKind::cos ||
                            kind == graph::UnaryKind::tan;
      if (is_angle) operand.allowed = [](double x) { return !(std::abs(x) > 100); };
      add(op, "{alpha = 0.75 : f64, beta = 0.5 : f64}", {operand},
          typeOf(is_test ? kBoolKind : element, {150}), isFloatKind(element) ? tolerance : 0);
    }
  }
  EXPECT_GT(kinds, 30U);
  check();
}

TEST_F(FoldingTest, BinaryFunctions) {
  size_t kinds = 0;
  for (uint32_t i = 0; graph::symbolizeBinaryKind(i); ++i, ++kinds) {
    const graph::BinaryKind kind = *graph::symbolizeBinaryKind(i);
    const std::string op = "graph.binary " + graph::stringifyBinaryKind(kind).str();
    const bool is_power = kind == graph::BinaryKind::pow;
    const bool is_logical =
        kind >= graph::BinaryKind::logical_and && kind <= graph::BinaryKind::logical_xor;
    for (const ElementKind& element : kKinds) {
      const bool takes_bool = is_logical || kind == graph::BinaryKind::equal;
      if (!element.is_computed || (isBool(element) && !takes_bool)) continue;
      const bool compares =
          kind >= graph::BinaryKind::equal && kind <= graph::BinaryKind::greater_equal;
      const std::string result = typeOf(compares ? kBoolKind : element, {90, 90});
      const double tolerance = !is_power || !isFloatKind(element) ? 0
                               : element.dtype == DType::kF64     ? 1e-13
                                                                  : 2e-6;
      Operand lhs{element, {90, 1}}, rhs{element, {90}};
      if (add(op, "", {lhs, rhs}, result, tolerance)) continue;
      // Folding leaves divisions alone that a processor might trap on.
      rhs.allowed = [](double x) { return x != 0 && x != -1; };
      add(op, "", {lhs, rhs}, result, tolerance);
    }
  }
  EXPECT_GT(kinds, 20U);
  check();
}

TEST_F(FoldingTest, Reductions) {
  for (uint32_t i = 0; graph::symbolizeReduceKind(i); ++i) {
    const graph::ReduceKind kind = *graph::symbolizeReduceKind(i);
    const std::string op = "graph.reduce " + graph::stringifyReduceKind(kind).str();
    const bool is_exact = kind == graph::ReduceKind::max || kind == graph::ReduceKind::min;
    for (const ElementKind& element : kKinds) {
      if (!element.is_computed || isBool(element)) continue;
      for (const int64_t extent : {1, 3, 40}) {
        Operand operand{element, {20, extent}};
        // Sums of floats are folded in double, and overflow later.
        if (isFloatKind(element) && !is_exact) {
          operand.allowed = [](double x) { return std::abs(x) >= 0.5 && std::abs(x) <= 2; };
        }
        const double tolerance = !isFloatKind(element) || is_exact ? 0
                                 : element.dtype == DType::kF64    ? 1e-13
                                                                   : 4e-6;
        add(op, "{axes = array<i64: 1>}", {operand}, typeOf(element, {20}), tolerance);
      }
    }
  }
  check();
}

TEST_F(FoldingTest, ChoicesAndBounds) {
  for (const ElementKind& element : kKinds) {
    EXPECT_TRUE(add("graph.where", "", {{kBoolKind, {90, 1}}, {element, {90}}, {element, {90}}},
                    typeOf(element, {90, 90})));
  }
  for (const char* bounds :
       {"min = 0.0 : f64, max = 6.0 : f64", "min = -0.0 : f64, max = 0.0 : f64",
        "min = -1.5 : f64, max = 0x7FF0000000000000 : f64"}) {
    EXPECT_TRUE(add("graph.clip", fmt::format("{{{}}}", bounds), {{kKinds[0], {150}}},
                    typeOf(kKinds[0], {150})));
  }
  check();
}

TEST_F(FoldingTest, Movements) {
  for (const ElementKind& t : kKinds) {
    const Operand x{t, {2, 4, 3, 5}};
    const auto must = [&](const char* op, const char* attributes, std::vector<Operand> operands,
                          std::vector<int64_t> shape) {
      EXPECT_TRUE(add(op, attributes, operands, typeOf(t, shape))) << op << " of " << t.name;
    };
    must("graph.reshape", "", {x}, {8, 15});
    must("graph.transpose", "{permutation = array<i64: 2, 0, 3, 1>}", {x}, {3, 2, 5, 4});
    must("graph.expand", "", {{t, {4, 1, 5}}}, {2, 4, 3, 5});
    must("graph.concat", "{axis = 1 : i64}", {x, {t, {2, 1, 3, 5}}}, {2, 5, 3, 5});
    must("graph.slice", "{starts = array<i64: 1, 3, 0, 1>, steps = array<i64: 1, -2, 1, 3>}", {x},
         {1, 2, 3, 2});
    must("graph.pad constant",
         "{low = array<i64: 0, 1, -1, 2>, high = array<i64: 1, 0, 0, -1>, value = 1.0 : f64}", {x},
         {3, 5, 2, 6});
    must("graph.interleave", "{block = array<i64: 2, 2>, groups = 1 : i64}", {x}, {2, 1, 6, 10});
    const Operand places{kKinds[8], {3}, [](double i) { return i >= -4 && i < 4; }};
    must("graph.gather", "{axis = 1 : i64}", {x, places}, {2, 3, 3, 5});
  }
  check();
}

TEST_F(FoldingTest, Quantisation) {
  const ElementKind f32 = kKinds[0];
  for (const ElementKind& t : kKinds) {
    const bool is_signed = t.name[0] == 'i';
    const std::string zero = is_signed ? "-3" : "131";
    add("graph.quantize", "{scales = array<f32: 0.3>, zero_points = array<i64: " + zero + ">}",
        {{f32, {150}}}, typeOf(t, {150}));
    add("graph.dequantize",
        "{scales = array<f32: 0.3>, zero_points = array<i64: " +
            (t.dtype == DType::kI32 ? "0" : zero) + ">}",
        {{t, {150}}}, typeOf(f32, {150}));
  }
  EXPECT_GE(cases_.size(), 5U);
  check();
}

}  // namespace
}  // namespace vta::codegen::testing
