#include "driver/remote/server/board_programmer.h"

#include <fmt/format.h>

#include "driver/flash/board/board_use.h"

namespace vta::remote {

Result<BoardProgrammer::Claim> BoardProgrammer::claim(const std::string& client) {
  const std::lock_guard lock(mutex_);
  if (is_claimed_) {
    return Status(
        StatusCode::kResourceExhausted,
        fmt::format("client '{}' programs the board at this moment; try again when it has "
                    "ended",
                    client_));
  }
  is_claimed_ = true;
  client_ = client;
  return Claim(*this);
}

void BoardProgrammer::release() {
  const std::lock_guard lock(mutex_);
  is_claimed_ = false;
}

/// All devices or, with an error, none of them.
Status BoardProgrammer::letGo() {
  for (size_t i = 0; i < devices_.size(); ++i) {
    if (!devices_[i]->isProgrammable()) continue;
    const Status status = devices_[i]->beginProgramming();
    if (status.ok()) continue;
    for (size_t j = 0; j < i; ++j) {
      if (devices_[j]->isProgrammable()) static_cast<void>(devices_[j]->restore());
    }
    return status;
  }
  return {};
}

/// Opens the devices again; what is wrong with those that cannot be.
std::vector<std::string> BoardProgrammer::restoreAll() {
  std::vector<std::string> problems;
  for (const auto& device : devices_) {
    if (!device->isProgrammable()) continue;
    const Status opened = device->restore();
    if (opened.ok()) continue;
    problems.push_back(fmt::format("the server cannot offer '{}' with this bitstream: {}",
                                   device->name(), opened.message()));
  }
  return problems;
}

void BoardProgrammer::withholdAll(const Status& failure) {
  const Status reason =
      failure.withContext("programming it failed, and it has to be programmed again");
  for (const auto& device : devices_) {
    if (device->isProgrammable()) device->withhold(reason);
  }
}

Result<flash::FlashReport> BoardProgrammer::program(const flash::FlashRequest& request,
                                                    const flash::BitstreamFile& file,
                                                    const std::string& client) {
  bool is_changed = false;
  const flash::System system(options_.root, [&is_changed] { is_changed = true; });
  VTA_ASSIGN_OR_RETURN(flash::FlashReport report, checkFlash(request, system, file));
  if (!isOnBoard(report.via)) {
    return unsupported(fmt::format(
        "--via {} leads to no FPGA of the server's machine; take manager, overlay or dfx",
        viaName(report.via)));
  }
  VTA_RETURN_IF_ERROR(letGo());
  const Status unused = checkUnused(system);
  auto done = unused.ok() ? programBoard(request, system, file, std::move(report))
                          : Result<flash::FlashReport>(unused);
  if (!done.ok() && is_changed) {
    withholdAll(done.status());
  } else {
    const std::vector<std::string> problems = restoreAll();
    if (done.ok()) done->warnings.insert(done->warnings.end(), problems.begin(), problems.end());
  }
  if (options_.log) {
    options_.log(fmt::format("client '{}' {} the board: {}", client,
                             done.ok() ? "has programmed" : "could not program",
                             done.ok() ? done->firmware : done.status().message()));
  }
  return done;
}

}  // namespace vta::remote
