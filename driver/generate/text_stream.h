// TextStream: a text as it comes, piece by piece, until it contains a text that ends it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vta::driver {

/// Holds back what may be a part of a character or the begin of a stop.
class TextStream {
 public:
  /// Empty stops never match.
  explicit TextStream(std::vector<std::string> stops) : stops_(std::move(stops)) {}

  /// What may be shown now.
  std::string add(std::string_view piece);
  /// What was held back, once nothing follows. Bytes that are no characters stay as they are.
  std::string finish();

  /// One of the stops has come; what follows it is dropped.
  bool isStopped() const { return is_stopped_; }

 private:
  size_t heldBytes() const;

  std::vector<std::string> stops_;
  std::string held_;
  bool is_stopped_ = false;
};

}  // namespace vta::driver
