// The machine's files and commands, below any root: tests make up a board's /sys and /dev in a
// folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace vta::flash {

class System {
 public:
  /// With another root than "/", commands are those of its usr/bin. `on_change` is called before
  /// the board itself changes: its attributes, registers or overlays; may be null.
  explicit System(std::filesystem::path root = "/", std::function<void()> on_change = nullptr)
      : root_(std::move(root)), on_change_(std::move(on_change)) {}

  /// Where `absolute` ("/sys/class/uio") lies below the root.
  std::filesystem::path at(std::string_view absolute) const;
  bool exists(std::string_view absolute) const;

  /// Names in a folder, sorted; none if there is no such folder.
  std::vector<std::string> list(std::string_view folder) const;

  /// An attribute's text without the line end, at most 64 KiB of it. Errors: kNotFound, kIoError.
  Result<std::string> readAttribute(std::string_view file) const;

  /// Writes to an attribute with one write, as the kernel wants. Errors: kNotFound when there is no
  /// such attribute; kIoError with the reason, and the remedy when a permission is missing.
  Status writeAttribute(std::string_view file, std::span<const std::byte> data) const;
  Status writeAttribute(std::string_view file, std::string_view text) const;

  /// Puts a file there in one step, making its folder; leaves it alone when it has that content.
  Status install(std::string_view file, std::span<const std::byte> data) const;
  Status install(std::string_view file, std::string_view text) const;

  /// What else than an attribute is about to change the board.
  void announceChange() const {
    if (on_change_) on_change_();
  }

  bool hasCommand(const std::string& name) const { return !findCommand(name).empty(); }

  /// Runs a command without a shell and waits as long as it takes. Returns what it printed on both
  /// streams. Errors: kNotFound when there is no such command; kIoError when it fails, with the end
  /// of its output.
  Result<std::string> run(const std::vector<std::string>& command) const;

 private:
  std::filesystem::path findCommand(const std::string& name) const;

  std::filesystem::path root_;
  std::function<void()> on_change_;
};

/// "cannot write 'file': reason", with the remedy if a permission is missing. `error` is an errno.
Status accessError(std::string_view action, const std::filesystem::path& file, int error);

}  // namespace vta::flash
