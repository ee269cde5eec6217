// Which instructions emitted code has.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/status.h"
#include "compiler/codegen/backend.h"

namespace vta::codegen::testing {

/// How often each instruction occurs, by its mnemonic in lower case, with the type that assemblers
/// for Arm put behind it: "vfmadd231ps", "fmla.4s", "vfma.f32".
class Mnemonics {
 public:
  void add(const std::string& mnemonic) { ++counts_[mnemonic]; }
  void addUndefined(const std::string& symbol) { undefined_.insert(symbol); }

  int beginningWith(std::string_view prefix) const;
  /// Symbols that the code wants from elsewhere.
  const std::set<std::string>& undefined() const { return undefined_; }
  /// All of them with their counts, for messages.
  std::string text() const;

 private:
  std::map<std::string, int> counts_;
  std::set<std::string> undefined_;
};

/// Of all objects of `code`, which was compiled for this target.
Result<Mnemonics> mnemonicsOf(const CompiledCode& code, const std::string& triple,
                              const std::string& cpu);

}  // namespace vta::codegen::testing
