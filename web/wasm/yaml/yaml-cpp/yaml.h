// What the readers of configurations use of yaml-cpp, on trees that the page's YAML parser makes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace YAML {

/// Where a node begins, both from 0.
struct Mark {
  int line = -1;
  int column = -1;
  bool is_null() const { return line < 0; }
};

/// Nothing throws it: vta::loadYaml reports what is no YAML as a value.
struct Exception {
  Mark mark;
  std::string msg;
};

class Node;
struct Entry;

/// A node of a tree, or an undefined one. Copies share the tree.
class Node {
 public:
  enum class Kind { kUndefined, kNull, kScalar, kSequence, kMap };
  struct Data {
    Kind kind = Kind::kUndefined;
    Mark mark;
    std::string scalar;
    std::vector<Entry> entries;
  };

  Node() : data_(std::make_shared<Data>()) {}
  explicit Node(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  bool IsDefined() const { return data_->kind != Kind::kUndefined; }
  bool IsScalar() const { return data_->kind == Kind::kScalar; }
  bool IsSequence() const { return data_->kind == Kind::kSequence; }
  bool IsMap() const { return data_->kind == Kind::kMap; }
  const std::string& Scalar() const { return data_->scalar; }
  YAML::Mark Mark() const { return data_->mark; }

  /// The value of the first entry with this key, else an undefined node.
  Node operator[](std::string_view key) const;

  std::vector<Entry>::const_iterator begin() const { return data_->entries.begin(); }
  std::vector<Entry>::const_iterator end() const { return data_->entries.end(); }

 private:
  std::shared_ptr<const Data> data_;
};

/// An item of a sequence, or `first` and `second` of a map's entry.
struct Entry : Node {
  Entry(Node key, Node value) : first(std::move(key)), second(std::move(value)) {}
  explicit Entry(Node item) : Node(std::move(item)) {}

  Node first, second;
};

inline Node Node::operator[](std::string_view key) const {
  for (const Entry& entry : *this) {
    if (IsMap() && entry.first.IsScalar() && entry.first.Scalar() == key) return entry.second;
  }
  return {};
}

}  // namespace YAML
