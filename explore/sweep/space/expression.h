// Expressions over parameters and results, evaluated by muParser.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace vta::sweep {

/// Numbers by name: parameters, variables of a sweep, results. Flags are 0 and 1.
using Values = std::map<std::string, double, std::less<>>;

/// The name of the value that `fits(device)` stands for: "fits.xc7z020".
std::string fitsName(std::string_view device);

/// An expression such as "fits(xc7z020) && gemm.block_in >= 2 * gemm.batch". Names have dots,
/// operators are those of C with ^ for powers; min, max, sqrt, log2, rint and others are there.
class Expression {
 public:
  /// Errors: no expression, with the column.
  static Result<Expression> parse(std::string_view text);
  ~Expression();
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;

  const std::string& text() const { return text_; }
  /// Every name that the value depends on, fitsName() of devices among them.
  const std::vector<std::string>& names() const { return names_; }

  /// Error: a name that `values` lacks, a value that is no number (a division by zero).
  Result<double> evaluate(const Values& values);

  /// Error: a name that is not in `known`; it lists these, the nearest first.
  Status checkNames(std::span<const std::string> known) const;

 private:
  struct Parser;
  Expression(std::string text, std::unique_ptr<Parser> parser);

  std::string text_;
  std::vector<std::string> names_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace vta::sweep
