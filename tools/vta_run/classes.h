// Outputs as classifications: top classes, labels, scores over a batch.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"

namespace vta::tools {

struct ClassScore {
  int64_t index = 0;
  double score = 0;
};

/// Whether outputs of `shape` are classifications: vectors of at least two numbers, with any number
/// of extents of one.
bool areClasses(const std::vector<int64_t>& shape);

/// The `count` largest elements, best first (of equals, the first). Empty unless
/// areClasses(output.shape).
std::vector<ClassScore> topClasses(const Tensor& output, int count);

/// Labels, one per line.
Result<std::vector<std::string>> readLabels(const std::string& path);

/// Lines "FILE,CLASS": the class of each file, by its name without folders. Errors: a line of
/// another form, with its number.
Result<std::map<std::string, int64_t>> readLabelsCsv(const std::string& path);

/// Running score of a batch.
class Scoreboard {
 public:
  explicit Scoreboard(std::map<std::string, int64_t> labels) : labels_(std::move(labels)) {}

  /// Counts one sample; `sample` is its file, perhaps with ":k".
  void add(const std::string& sample, const std::vector<ClassScore>& top);

  /// The class of `sample`; none: it has no label.
  std::optional<int64_t> labelOf(const std::string& sample) const;

  int64_t scored() const { return scored_; }
  int64_t correct() const { return top1_; }
  double top1() const { return scored_ == 0 ? 0 : static_cast<double>(top1_) / scored_; }
  double top5() const { return scored_ == 0 ? 0 : static_cast<double>(top5_) / scored_; }

 private:
  std::map<std::string, int64_t> labels_;
  int64_t scored_ = 0;
  int64_t top1_ = 0;
  int64_t top5_ = 0;
};

/// How often two models give samples the same class.
class Agreement {
 public:
  /// Counts one sample with the classes that each model gives it, unless one of them gives none.
  void add(const std::vector<ClassScore>& top, const std::vector<ClassScore>& other_top);

  int64_t compared() const { return compared_; }
  int64_t agreed() const { return agreed_; }

 private:
  int64_t compared_ = 0;
  int64_t agreed_ = 0;
};

/// How an output differs from a reference array.
struct Difference {
  double max_abs = 0;
  double mean_abs = 0;
  int64_t different = 0;  // elements
  int64_t count = 0;
};

/// Errors: another number of elements, or an element type that is not numeric.
Result<Difference> compareTensors(const Tensor& actual, const Tensor& reference);

/// Elements as doubles.
std::vector<double> toDoubles(const Tensor& tensor);

}  // namespace vta::tools
