#include "explore/workers/channel/spool_channel.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>

#include "base/files.h"
#include "base/folders/whole_file.h"

namespace vta::launcher {
namespace {

Status fileError(const std::filesystem::path& file, const char* what) {
  const StatusCode code =
      errno == ENOSPC || errno == EDQUOT ? StatusCode::kResourceExhausted : StatusCode::kIoError;
  const char* remedy = code == StatusCode::kResourceExhausted
                           ? "; free space there, or name another folder with the key spool"
                           : "";
  return {code, fmt::format("spool: cannot {} '{}': {}{}", what, file.string(),
                            std::strerror(errno), remedy)};
}

}  // namespace

Status writeAtOnce(const std::filesystem::path& file, std::string_view text) {
  constexpr mode_t kForThisUser = 0600;
  errno = writeWhole(file, std::as_bytes(std::span(text)), kForThisUser);
  return errno == 0 ? Status() : fileError(file, "write");
}

SpoolChannel::SpoolChannel(std::filesystem::path folder, Side side)
    : folder_(std::move(folder)),
      own_beat_(folder_ / "worker-beat"),
      other_beat_(folder_.parent_path() / "farm-beat"),
      outgoing_(side == Side::kFarm ? "to-worker" : "to-farm"),
      incoming_(side == Side::kFarm ? "to-farm" : "to-worker") {
  if (side == Side::kFarm) std::swap(own_beat_, other_beat_);
}

Status SpoolChannel::send(std::string_view text) {
  return writeAtOnce(folder_ / fmt::format("{}.{}", outgoing_, ++sent_), text);
}

Result<std::optional<std::string>> SpoolChannel::receive() {
  const std::filesystem::path file = folder_ / fmt::format("{}.{}", incoming_, received_ + 1);
  if (access(file.c_str(), F_OK) != 0) {
    if (access(folder_.c_str(), F_OK) == 0) return std::optional<std::string>();
    return ioError(fmt::format("the spool folder '{}' is gone", folder_.string()));
  }
  VTA_ASSIGN_OR_RETURN(std::string text, readTextFile(file, kMaxFileBytes));
  ++received_;
  unlink(file.c_str());  // what stays is removed with the folder
  return std::optional(std::move(text));
}

Status SpoolChannel::beat() { return writeAtOnce(own_beat_, std::to_string(++beats_)); }

uint64_t SpoolChannel::otherBeats() {
  const auto text = readTextFile(other_beat_);
  uint64_t beats = 0;
  if (text.ok()) std::from_chars(text->data(), text->data() + text->size(), beats);
  return beats;
}

}  // namespace vta::launcher
