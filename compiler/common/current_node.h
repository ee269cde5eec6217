// Which node the compiler was at when memory ended.
//
// Memory can end anywhere, so it is an exception that unwinds to guardMemory. On its way it passes
// the work that is marked with WorkingOn, of which the innermost gives its name.
#pragma once

#include <array>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "base/status.h"

namespace vta::compiler {

class WorkingOn {
 public:
  /// `label` begins the message: "node 'conv1' (Conv)". It has to live as long as this.
  explicit WorkingOn(std::string_view label)
      : label_(label), exceptions_(std::uncaught_exceptions()) {}
  WorkingOn(const WorkingOn&) = delete;
  WorkingOn& operator=(const WorkingOn&) = delete;
  ~WorkingOn() {
    if (std::uncaught_exceptions() <= exceptions_ || left()[0] != '\0') return;
    left()[label_.copy(left().data(), left().size() - 1)] = '\0';
  }

  /// What was left by an exception on this thread; empty if nothing was.
  static std::string takeLeft() {
    std::string label = left().data();
    left()[0] = '\0';
    return label;
  }

 private:
  // Nothing is allocated while memory is short.
  static std::array<char, 512>& left() {
    thread_local std::array<char, 512> label = {};
    return label;
  }

  std::string_view label_;
  int exceptions_;
};

/// What `body` returns, a Status or Result; an error if memory ends in it.
template <typename Body>
auto guardMemory(Body&& body) -> decltype(body()) {
  WorkingOn::takeLeft();
  try {
    return body();
  } catch (const std::bad_alloc&) {
    const Status error(StatusCode::kResourceExhausted, "there is not enough memory to compile it");
    const std::string label = WorkingOn::takeLeft();
    return label.empty() ? Status(error.code(), "there is not enough memory to compile the model")
                         : error.withContext(label);
  }
}

}  // namespace vta::compiler
