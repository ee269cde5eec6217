// CommandTemplate: a line for the shell with places for values, as people write it in a launcher's
// file: "bsub -o {log} {command}".
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace vta::launcher {

/// `text` as one word of the shell, whatever it holds.
std::string shellWord(std::string_view text);

/// A line that was checked when it was parsed, so that filling cannot fail.
class CommandTemplate {
 public:
  CommandTemplate() = default;

  /// Errors: an empty text, a brace without its partner, a placeholder that is none of `legal`, one
  /// of `required` that does not appear.
  static Result<CommandTemplate> parse(std::string_view text,
                                       std::span<const std::string_view> legal,
                                       std::span<const std::string_view> required);

  /// The line with each placeholder replaced by its value, as one word of the shell. `values` has
  /// all of the legal placeholders.
  std::string fill(const std::map<std::string, std::string, std::less<>>& values) const;

  /// As it was written.
  const std::string& text() const { return text_; }

 private:
  explicit CommandTemplate(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace vta::launcher
