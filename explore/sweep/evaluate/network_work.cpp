#include "explore/sweep/evaluate/network_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "explore/sweep/evaluate/hex_text.h"
#include "explore/sweep/network/outline_text.h"
#include "explore/sweep/workers/job_pool.h"

namespace vta::sweep {

using launcher::Json;

Json networkSetup(const std::string& version, int processes, std::chrono::milliseconds timeout) {
  return {{"version", version}, {"processes", processes}, {"timeout_ms", timeout.count()}};
}

Json networkContext(const std::string& outline) { return {{"outline", toHex(outline)}}; }

std::optional<Result<std::string>> networkResult(const launcher::ItemResult& item) {
  using State = launcher::ItemResult::State;
  if (item.state == State::kNotDone) return std::nullopt;
  if (item.state == State::kLost) {
    return Status(StatusCode::kInternal,
                  fmt::format("it lost its worker each of {} times", item.attempts));
  }
  const auto textOf = [&](const char* key) {
    const auto found = item.result.is_object() ? item.result.find(key) : item.result.end();
    return found != item.result.end() && found->is_string()
               ? std::optional(found->get<std::string>())
               : std::nullopt;
  };
  if (auto text = textOf("text")) return *std::move(text);
  if (auto error = textOf("error")) return Status(StatusCode::kInternal, *std::move(error));
  return invalidArgument("a worker sent a result that makes no sense");
}

Result<Json> NetworkWork::setUp(const Json& setup) {
  const std::string farm = setup.at("version");
  if (farm != version_) return launcher::otherVersion(version_, farm);
  processes_ = setup.at("processes");
  timeout_ = std::chrono::milliseconds(setup.at("timeout_ms").get<int64_t>());
  return Json{{"version", version_}};
}

Result<std::vector<Json>> NetworkWork::process(const Json& context,
                                               const std::vector<Json>& items) {
  VTA_ASSIGN_OR_RETURN(const std::string text, fromHex(context.at("outline").get<std::string>()));
  VTA_ASSIGN_OR_RETURN(const compiler::ModuleOutline outline, decodeOutline(text));
  std::vector<NetworkJob> jobs;
  for (const Json& item : items) {
    VTA_ASSIGN_OR_RETURN(jobs.emplace_back(), parseJob(item));
  }
  std::vector<Json> results(items.size());
  const auto body = [&](size_t i) { return simulateNetwork(outline, jobs[i], {}); };
  const auto done = [&](size_t i, const Result<std::string>& result) {
    results[i] = result.ok() ? Json{{"text", *result}} : Json{{"error", result.status().message()}};
  };
  std::vector<size_t> all(items.size());
  std::iota(all.begin(), all.end(), size_t{0});
  JobPool pool(processes_, {.timeout = timeout_});
  VTA_RETURN_IF_ERROR(pool.run(all, body, done));
  return results;
}

}  // namespace vta::sweep
