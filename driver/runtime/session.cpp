#include "driver/runtime/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "driver/runtime/bucket_run.h"
#include "module/host/host_threads.h"

namespace vta::driver {
namespace {

class SessionImpl final : public Session {
 public:
  /// `devices` by executor; null: none.
  SessionImpl(std::shared_ptr<const LoadedModule> module, std::span<MemoryDevice* const> devices,
              const SessionOptions& options)
      : module_(std::move(module)),
        devices_(devices.begin(), devices.end()),
        options_(options),
        share_(options.share ? options.share
                             : std::make_shared<SessionShare>(options.num_threads)) {}

  /// Buckets work on memory of the first one's machines.
  ~SessionImpl() override {
    while (!runs_.empty()) runs_.pop_back();
  }

  Status prepare();
  double progress() const override;
  Result<RunResult> run(const TensorMap& inputs) override;
  Status clearState() override { return memory().clearState(); }
  Result<std::vector<std::byte>> saveState() override {
    return memory().saveState(whole().state());
  }
  Status loadState(std::span<const std::byte> state) override;
  Result<std::unique_ptr<Session>> fork() override;
  int64_t textLength() const override { return runs_.front()->text().length(); }
  Status shortenText(int64_t length) override { return whole().text().shorten(length); }
  const LoadedModule& module() const override { return *module_; }

 private:
  BucketRun& whole() { return *runs_.front(); }
  SessionMemory& memory() { return whole().machines().memory(); }
  BucketRun& runFor(const TensorMap& inputs);

  std::shared_ptr<const LoadedModule> module_;
  std::vector<MemoryDevice*> devices_;
  SessionOptions options_;
  std::shared_ptr<SessionShare> share_;
  std::vector<std::unique_ptr<BucketRun>> runs_;  // of the module, then of its buckets
  std::atomic<const BucketRun*> running_ = nullptr;
};

/// All work on one memory, so constants and state are there once, and activations lie over each
/// other.
Status SessionImpl::prepare() {
  std::vector<const LoadedModule*> networks = {module_.get()};
  for (size_t i = 0; i < module_->info().buckets.size(); ++i) {
    networks.push_back(&module_->bucket(i));
  }
  std::vector<const CopyPlan*> plans;
  for (const LoadedModule* network : networks) {
    VTA_ASSIGN_OR_RETURN(auto run, BucketRun::create(*network, devices_, options_, *share_));
    for (const CopyPlan* plan : run->plans()) plans.push_back(plan);
    runs_.push_back(std::move(run));
  }
  VTA_RETURN_IF_ERROR(whole().machines().allocate(plans));
  for (const auto& run : runs_) {
    if (run != runs_.front()) run->machines().shareMemoryOf(whole().machines());
    VTA_RETURN_IF_ERROR(run->prepare());
  }
  return {};
}

/// The last one that takes the inputs; the module itself says what is wrong with others.
BucketRun& SessionImpl::runFor(const TensorMap& inputs) {
  for (size_t i = runs_.size() - 1; i > 0; --i) {
    if (runs_[i]->takes(inputs)) return *runs_[i];
  }
  return whole();
}

Result<RunResult> SessionImpl::run(const TensorMap& inputs) {
  BucketRun& run = runFor(inputs);
  running_ = &run;
  return run.run(inputs);
}

double SessionImpl::progress() const {
  const BucketRun* run = running_;
  return run == nullptr ? 0 : run->progress();
}

Status SessionImpl::loadState(std::span<const std::byte> state) {
  uint64_t size_bytes = 0;
  for (const StatePlace& place : whole().state()) size_bytes += place.range.size_bytes;
  if (state.size() != size_bytes) {
    return invalidArgument(
        fmt::format("a state of {} bytes is not of this module, whose state has {} bytes",
                    state.size(), size_bytes));
  }
  return memory().restoreState(whole().state(), state);
}

Result<std::unique_ptr<Session>> SessionImpl::fork() {
  auto other = std::make_unique<SessionImpl>(module_, devices_, options_);
  VTA_RETURN_IF_ERROR(other->prepare());
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> state, saveState());
  VTA_RETURN_IF_ERROR(other->loadState(state));
  return std::unique_ptr<Session>(std::move(other));
}

Result<std::unique_ptr<Session>> createSession(std::shared_ptr<const LoadedModule> module,
                                               std::span<MemoryDevice* const> devices,
                                               const SessionOptions& options) {
  auto session = std::make_unique<SessionImpl>(std::move(module), devices, options);
  VTA_RETURN_IF_ERROR(session->prepare());
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace

DeviceMap oneDeviceFor(const ModuleInfo& info, MemoryDevice* device) {
  DeviceMap devices;
  for (const ExecutorInfo& executor : info.executors) {
    if (executor.kind != kCpuKind) devices[executor.name] = device;
  }
  return devices;
}

SessionShare::SessionShare(int num_threads)
    : threads(std::make_unique<HostThreads>(static_cast<unsigned>(std::max(0, num_threads)))) {}
SessionShare::~SessionShare() = default;

std::mutex& SessionShare::mutexOf(const MemoryDevice* memory) {
  const std::lock_guard lock(mutex_);
  return machines_[memory];
}

std::mutex& SessionShare::copyMutexOf(const MemoryDevice* memory) {
  const std::lock_guard lock(mutex_);
  return copies_[memory];
}

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<const LoadedModule> module,
                                                 const DeviceMap& devices,
                                                 const SessionOptions& options) {
  const std::vector<ExecutorInfo>& executors = module->info().executors;
  std::vector<MemoryDevice*> by_executor(executors.size(), nullptr);
  for (const auto& [name, device] : devices) {
    const auto found = std::ranges::find(executors, name, &ExecutorInfo::name);
    if (found == executors.end() || found->kind == kCpuKind) {
      return invalidArgument(fmt::format("the module has no executor '{}' for a device", name));
    }
    by_executor[found - executors.begin()] = device;
  }
  return createSession(std::move(module), by_executor, options);
}

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<const LoadedModule> module,
                                                 MemoryDevice* device,
                                                 const SessionOptions& options) {
  const DeviceMap devices = oneDeviceFor(module->info(), device);
  return create(std::move(module), devices, options);
}

}  // namespace vta::driver
