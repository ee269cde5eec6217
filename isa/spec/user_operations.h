// The ALU operations that a configuration brings along, beside those of this project.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

namespace vta {

struct UserOperation;

/// In the order of their codes. Cheap to copy: copies share the operations, which never change.
class UserOperations {
 public:
  bool empty() const { return list_.empty(); }
  const std::vector<std::shared_ptr<const UserOperation>>& list() const { return list_; }

  /// Puts `operation` at its place. HwConfig::create checks what may not be together.
  void add(std::shared_ptr<const UserOperation> operation);

  /// Equal contents.
  bool operator==(const UserOperations& other) const;

 private:
  std::vector<std::shared_ptr<const UserOperation>> list_;
};

}  // namespace vta
