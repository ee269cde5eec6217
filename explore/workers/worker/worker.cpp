#include "explore/workers/worker/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <system_error>
#include <thread>

#include "base/files.h"
#include "base/text/json_reason.h"
#include "explore/workers/channel/pause.h"
#include "explore/workers/channel/pipe_channel.h"
#include "explore/workers/channel/spool_channel.h"
#include "explore/workers/worker/heartbeat.h"

namespace vta::launcher {
namespace {

using Clock = std::chrono::steady_clock;

std::string textOf(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

class Server {
 public:
  Server(Channel& channel, Work& work, const WorkerOptions& options)
      : channel_(channel), work_(work), options_(options) {}

  Status serve() {
    Pause pause;
    while (!isStopped()) {
      VTA_ASSIGN_OR_RETURN(const std::optional<std::string> text, channel_.receive());
      if (!text) {
        if (isFarmLost()) return ioError("the farm gives no sign of life any more");
        pause.wait();
        continue;
      }
      pause.reset();
      heard_ = Clock::now();
      VTA_ASSIGN_OR_RETURN(const bool goes_on, answer(*text));
      if (!goes_on) return {};
    }
    return {};
  }

 private:
  bool isStopped() const { return options_.stop != nullptr && *options_.stop; }

  // Asked about twice a second: it may mean to read a file.
  bool isFarmLost() {
    const Clock::time_point now = Clock::now();
    if (now < next_look_) return false;
    next_look_ = now + std::chrono::milliseconds(500);
    const uint64_t beats = channel_.otherBeats();
    if (beats != beats_) heard_ = now;
    beats_ = beats;
    return now - heard_ > options_.farm_lost_after;
  }

  /// False: it is over.
  Result<bool> answer(const std::string& text) {
    try {
      const Json request = Json::parse(text);
      if (request.contains("end")) return false;
      if (request.contains("setup")) return setUp(request["setup"]);
      return processBatch(request);
    } catch (const nlohmann::json::exception& error) {
      return refuse(Json::object(), invalidArgument(jsonReason(error.what())));
    }
  }

  Result<bool> setUp(const Json& setup) {
    const Result<Json> ready = work_.setUp(setup);
    if (!ready.ok()) return refuse(Json::object(), ready.status());
    VTA_RETURN_IF_ERROR(channel_.send(textOf({{"ready", *ready}})));
    return true;
  }

  Result<bool> processBatch(const Json& request) {
    const Json number = {{"batch", request.at("batch")}};
    const auto items = request.at("items").get<std::vector<Json>>();
    const auto results = work_.process(request.at("context"), items);
    if (!results.ok()) return refuse(number, results.status());
    Json reply = number;
    reply["results"] = *results;
    VTA_RETURN_IF_ERROR(channel_.send(textOf(reply)));
    return true;
  }

  Status refuse(Json reply, const Status& why) {
    reply["refused"] = why.message();
    VTA_RETURN_IF_ERROR(channel_.send(textOf(reply)));
    return why;
  }

  Channel& channel_;
  Work& work_;
  const WorkerOptions& options_;
  Clock::time_point heard_ = Clock::now();
  Clock::time_point next_look_ = Clock::now();
  uint64_t beats_ = 0;
};

/// Standard input and output for the channel alone: whatever else is printed goes to the log.
Result<std::unique_ptr<Channel>> standardStreams() {
  const int input = dup(STDIN_FILENO);
  const int output = dup(STDOUT_FILENO);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (input < 0 || output < 0 || nothing < 0) return ioError("the standard streams are closed");
  fcntl(input, F_SETFD, FD_CLOEXEC);
  fcntl(output, F_SETFD, FD_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  close(nothing);
  return std::unique_ptr<Channel>(std::make_unique<PipeChannel>(input, output));
}

Result<std::unique_ptr<Channel>> channelOf(const std::string& place) {
  signal(SIGPIPE, SIG_IGN);  // a farm that is gone is an error of a write
  if (place == "-") return standardStreams();
  std::error_code error;
  if (std::filesystem::is_directory(place, error)) {
    return std::unique_ptr<Channel>(
        std::make_unique<SpoolChannel>(place, SpoolChannel::Side::kWorker));
  }
  return notFound(
      fmt::format("the spool folder '{}' does not exist on this machine, or is gone: it "
                  "has to be on a file system that all machines see",
                  place));
}

}  // namespace

Status serveChannel(Channel& channel, Work& work, const WorkerOptions& options) {
  VTA_RETURN_IF_ERROR(channel.beat());
  // What cannot be written now is noticed with the next result.
  const Heartbeat heartbeat([&channel] { (void)channel.beat(); });
  return Server(channel, work, options).serve();
}

Status otherVersion(const std::string& worker, const std::string& farm) {
  return unsupported(
      fmt::format("this worker is {}, but its farm is {}: install the same version on all machines",
                  worker, farm));
}

Status serveWorker(const std::string& place, Work& work, const WorkerOptions& options) {
  VTA_ASSIGN_OR_RETURN(const std::unique_ptr<Channel> channel, channelOf(place));
  WorkerOptions its_options = options;
  // A pipe says itself when the farm is gone.
  if (place == "-") its_options.farm_lost_after = std::chrono::hours(24 * 365);
  return serveChannel(*channel, work, its_options);
}

}  // namespace vta::launcher
