// A file descriptor that is closed at the end of its scope.
#pragma once

#include <unistd.h>

#include <utility>

namespace vta {

/// Move-only.
class Descriptor {
 public:
  /// Owns `number`; a negative one is none.
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this == &other) return *this;
    close();
    number_ = other.release();
    return *this;
  }
  ~Descriptor() { close(); }

  bool isOpen() const { return number_ >= 0; }
  int number() const { return number_; }
  void close() {
    if (isOpen()) ::close(release());
  }
  /// Gives it to the caller, who closes it.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

}  // namespace vta
