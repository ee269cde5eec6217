// SpoolChannel: texts as files of a folder that both sides see.
//
// Every file has one writer and one reader, and gets its name only when it is complete. So there
// are no locks, and nobody ever sees half a file: renaming is atomic on local disks and on NFS.
//   to-worker.1, to-worker.2, ...   texts in their order; the reader removes what it has read
//   to-farm.1, ...                  the same the other way
//   worker-beat                     a number that the worker counts up
//   ../farm-beat                    a number that the farm counts up, for all of its workers
#pragma once

#include <atomic>
#include <filesystem>
#include <string>

#include "explore/workers/channel/channel.h"

namespace vta::launcher {

/// Writes beside `file` and renames. The error names the file and the reason.
Status writeAtOnce(const std::filesystem::path& file, std::string_view text);

/// A channel of files, for two sides that share a folder but no machine.
class SpoolChannel final : public Channel {
 public:
  /// Whose end it is: it decides which files are read and which are written.
  enum class Side : uint8_t { kFarm, kWorker };

  /// `folder` exists; it is this worker's and no other's.
  SpoolChannel(std::filesystem::path folder, Side side);

  Status send(std::string_view text) override;
  Result<std::optional<std::string>> receive() override;
  Status beat() override;
  uint64_t otherBeats() override;

 private:
  std::filesystem::path folder_;
  std::filesystem::path own_beat_;
  std::filesystem::path other_beat_;
  const char* outgoing_;
  const char* incoming_;
  uint64_t sent_ = 0;
  uint64_t received_ = 0;
  std::atomic<uint64_t> beats_ = 0;
};

}  // namespace vta::launcher
