// ClientAccount: what one client of a server has, over all its sessions.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace vta::remote {

/// All methods may be called on any thread.
class ClientAccount {
 public:
  ClientAccount(std::string name, uint64_t most_bytes)
      : name_(std::move(name)), most_bytes_(most_bytes) {}

  const std::string& name() const { return name_; }

  /// False, and nothing changes, when it would have too much.
  bool takeMemory(uint64_t size_bytes) {
    const std::lock_guard lock(mutex_);
    if (size_bytes > most_bytes_ - used_bytes_) return false;
    used_bytes_ += size_bytes;
    return true;
  }
  void returnMemory(uint64_t size_bytes) {
    const std::lock_guard lock(mutex_);
    used_bytes_ -= size_bytes;
  }
  uint64_t freeBytes() const {
    const std::lock_guard lock(mutex_);
    return most_bytes_ - used_bytes_;
  }
  uint64_t mostBytes() const { return most_bytes_; }

 private:
  const std::string name_;
  const uint64_t most_bytes_;
  mutable std::mutex mutex_;
  uint64_t used_bytes_ = 0;
};

}  // namespace vta::remote
