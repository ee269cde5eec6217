#include "driver/runtime/pipeline.h"
#include "base/clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace vta::driver {
namespace {

/// One Pipeline::run: which input is next, and which one's turn it is to be delivered.
class Batch {
 public:
  Batch(int64_t count, const Pipeline::Source& source, const Pipeline::Sink& sink)
      : source_(source), sink_(sink), end_(count) {}

  /// Runs inputs on `session` until there are none left.
  void work(Session& session) {
    InputSeconds seconds;
    while (workOnce(session, seconds)) {
    }
  }

  /// Runs one input on `session` and says where its time went. False if there was none.
  bool workOnce(Session& session, InputSeconds& seconds) {
    int64_t index = 0;
    Result<Pipeline::Input> input = Pipeline::Input();
    const Clock::time_point start = Clock::now();
    if (!take(index, input)) return false;
    if (!input.ok()) return fail(index, input.status());
    Result<RunResult> result = session.run(input->tensors);
    if (!result.ok()) return fail(index, nameInput(*input, result.status()));
    seconds = {};
    for (const StepProfile& step : result->profile) {
      if (step.is_launch) seconds.device += step.seconds;
    }
    const double run_seconds = result->seconds;
    seconds.host = std::max(0.0, run_seconds - seconds.device);
    deliver(index, *input, *std::move(result));
    seconds.outside = secondsSince(start) - run_seconds;
    return true;
  }

  Status status() const { return status_; }

 private:
  static Status nameInput(const Pipeline::Input& input, const Status& status) {
    return input.name.empty() ? status : status.withContext(fmt::format("input '{}'", input.name));
  }

  bool take(int64_t& index, Result<Pipeline::Input>& input) {
    const std::lock_guard lock(source_mutex_);
    {
      const std::lock_guard state_lock(mutex_);
      if (next_ >= end_) return false;
      index = next_++;
    }
    input = source_(index);
    return true;
  }

  /// Hands a result on when all inputs before it are through; drops it if one of them failed.
  void deliver(int64_t index, const Pipeline::Input& input, RunResult result) {
    std::unique_lock lock(mutex_);
    turn_.wait(lock, [&] { return delivered_ == index || end_ <= index; });
    if (end_ <= index) return;
    lock.unlock();  // it is nobody else's turn
    const Status status = sink_(index, input, std::move(result));
    if (!status.ok()) {
      fail(index, status);
      return;
    }
    lock.lock();
    ++delivered_;
    turn_.notify_all();
  }

  /// The inputs from `index` on are over. False.
  bool fail(int64_t index, const Status& status) {
    const std::lock_guard lock(mutex_);
    if (index >= end_) return false;
    end_ = index;
    status_ = status;
    turn_.notify_all();
    return false;
  }

  const Pipeline::Source& source_;
  const Pipeline::Sink& sink_;
  std::mutex source_mutex_;
  std::mutex mutex_;  // of what follows
  std::condition_variable turn_;
  int64_t next_ = 0;
  int64_t delivered_ = 0;
  int64_t end_;  // the first input that is not run: the count, or the first that failed
  Status status_;
};

bool keepsState(const ModuleInfo& info) {
  return std::ranges::any_of(info.tensors, [&](const TensorInfo& tensor) {
    return info.spaceOf(tensor).contents == SpaceInfo::Contents::kState;
  });
}

}  // namespace

bool secondLanePays(const InputSeconds& seconds) {
  // What threads cost each other per input: they wake each other up, and take turns in the caches.
  constexpr double kHandoverSeconds = 100e-6;
  constexpr double kFairShare = 0.1;
  const double all = seconds.outside + seconds.host + seconds.device;
  const double hidden = all - std::max({seconds.outside, seconds.host, seconds.device});
  return hidden > kHandoverSeconds && hidden > kFairShare * all;
}

Result<std::unique_ptr<Pipeline>> Pipeline::create(std::shared_ptr<const LoadedModule> module,
                                                   MemoryDevice* device,
                                                   const SessionOptions& options, int lanes) {
  const DeviceMap devices = oneDeviceFor(module->info(), device);
  return create(std::move(module), devices, options, lanes);
}

Result<std::unique_ptr<Pipeline>> Pipeline::create(std::shared_ptr<const LoadedModule> module,
                                                   const DeviceMap& devices,
                                                   const SessionOptions& options, int lanes) {
  SessionOptions shared = options;
  shared.share = std::make_shared<SessionShare>(options.num_threads);
  std::unique_ptr<Pipeline> pipeline(new Pipeline(std::move(module), devices, std::move(shared)));
  // What one run leaves for the next is in one session.
  if (keepsState(pipeline->module_->info())) lanes = 1;
  pipeline->is_measuring_ = lanes == kMeasured;
  for (int lane = 0; lane < std::max(1, lanes); ++lane) VTA_RETURN_IF_ERROR(pipeline->addLane());
  return pipeline;
}

Status Pipeline::addLane() {
  VTA_ASSIGN_OR_RETURN(auto session, Session::create(module_, devices_, options_));
  const std::lock_guard lock(mutex_);
  sessions_.push_back(std::move(session));
  options_.per_layer = false;  // one lane finds out what layers take
  return {};
}

double Pipeline::progress() const {
  const std::lock_guard lock(mutex_);
  double done = 0;
  for (const auto& session : sessions_) done += session->progress();
  return done;
}

Status Pipeline::run(int64_t count, const Source& source, const Sink& sink) {
  Batch batch(count, source, sink);
  // The first input also fills caches; the second one shows what the others will take.
  constexpr int64_t kMeasuredInput = 1;
  if (is_measuring_ && count > kMeasuredInput + 1) {
    InputSeconds seconds;
    for (int64_t i = 0; i <= kMeasuredInput; ++i) {
      if (!batch.workOnce(*sessions_.front(), seconds)) return batch.status();
    }
    is_measuring_ = false;
    // Without memory for a second lane, one does the work.
    if (secondLanePays(seconds)) (void)addLane();
  }
  std::vector<std::thread> threads;
  const auto lanes = std::min<int64_t>(count, static_cast<int64_t>(sessions_.size()));
  for (int64_t lane = 1; lane < lanes; ++lane) {
    try {
      threads.emplace_back([&batch, session = sessions_[lane].get()] { batch.work(*session); });
    } catch (const std::system_error&) {
      break;  // no more threads: the lanes that there are do the work
    }
  }
  batch.work(*sessions_.front());
  for (std::thread& thread : threads) thread.join();
  return batch.status();
}

}  // namespace vta::driver
