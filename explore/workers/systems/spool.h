// Spool: the folder of one farm, with a folder for each of its workers (channel/spool_channel.h).
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/temporary_folder.h"
#include "explore/workers/channel/spool_channel.h"
#include "explore/workers/systems/launcher.h"

namespace vta::launcher {

/// The folder is removed with its object; workers that find it gone end.
class Spool {
 public:
  /// `where` is an existing folder that all machines see. The error names it.
  static Result<Spool> create(const std::filesystem::path& where);

  /// The folder that this farm made below `where`.
  const std::filesystem::path& path() const { return folder_.path(); }
  /// Where this attempt of a worker and the farm leave their texts.
  std::filesystem::path folderOf(const WorkerId& worker) const;
  /// The file that takes what the worker prints.
  std::filesystem::path logOf(const WorkerId& worker) const { return folderOf(worker) / "log"; }

  /// Makes the worker's folder.
  Status add(const WorkerId& worker);
  /// The farm's end of the channel to a worker whose folder exists.
  std::unique_ptr<Channel> connect(const WorkerId& worker) const;
  /// Removes the worker's folder: what it still writes is lost, and it ends.
  void remove(const WorkerId& worker);
  /// The end of its log.
  std::string log(const WorkerId& worker) const;
  Status beat() { return beats_->beat(); }

 private:
  explicit Spool(TemporaryFolder folder);

  TemporaryFolder folder_;
  std::unique_ptr<SpoolChannel> beats_;
};

}  // namespace vta::launcher
