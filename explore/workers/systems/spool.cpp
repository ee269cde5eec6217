#include "explore/workers/systems/spool.h"

#include <fmt/format.h>

#include <system_error>

#include "base/files.h"
#include "base/process/run_command.h"

namespace vta::launcher {

Spool::Spool(TemporaryFolder folder)
    : folder_(std::move(folder)),
      beats_(std::make_unique<SpoolChannel>(folder_.path() / "any", SpoolChannel::Side::kFarm)) {}

Result<Spool> Spool::create(const std::filesystem::path& where) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(where, error);
  auto folder = TemporaryFolder::create("vta-spool", absolute);
  if (!folder.ok()) {
    return folder.status().withContext(
        "spool: it has to be an existing folder that can be written and that all machines see");
  }
  Spool spool(*std::move(folder));
  VTA_RETURN_IF_ERROR(spool.beat());
  return spool;
}

std::filesystem::path Spool::folderOf(const WorkerId& worker) const {
  return path() / fmt::format("{}.{}", worker.slot, worker.attempt);
}

Status Spool::add(const WorkerId& worker) {
  std::error_code error;
  std::filesystem::create_directory(folderOf(worker), error);
  if (!error) return {};
  return ioError(fmt::format("spool: cannot make the folder '{}': {}", folderOf(worker).string(),
                             error.message()));
}

std::unique_ptr<Channel> Spool::connect(const WorkerId& worker) const {
  return std::make_unique<SpoolChannel>(folderOf(worker), SpoolChannel::Side::kFarm);
}

void Spool::remove(const WorkerId& worker) {
  std::error_code ignored;
  std::filesystem::remove_all(folderOf(worker), ignored);
}

std::string Spool::log(const WorkerId& worker) const {
  const auto text = readTextFile(logOf(worker));
  return text.ok() ? oneLine(*text) : "";
}

}  // namespace vta::launcher
