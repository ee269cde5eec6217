// Farm: workers somewhere, and the items that they work on.
//
// Items are handed out in batches. When a worker is lost (killed, out of time, its machine gone),
// its items go to other workers one by one, so that one that kills its worker takes no others with
// it, and another worker is started in its place. The first result of an item counts, and a lost
// worker is never heard again: nothing is lost and nothing counts twice.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "explore/workers/farm/item_queue.h"
#include "explore/workers/systems/launcher.h"
#include "explore/workers/worker/heartbeat.h"
#include "explore/workers/worker/worker.h"

namespace vta::launcher {

/// How many workers a farm has, and how long it has patience with them.
struct FarmOptions {
  int workers = 1;    ///< that work at the same time; a lost one is replaced
  int processes = 1;  ///< a batch has a multiple of so many items, if there are enough
  int batch = 0;      ///< items at once; 0: depends on how many there are
  int attempts = 3;   ///< of one item
  /// Silence after which a worker counts as lost.
  std::chrono::milliseconds lost_after = std::chrono::seconds(15);
  /// How long the first worker may take to start.
  std::chrono::milliseconds start_within = std::chrono::hours(1);
  Json setup = Json::object();              ///< for every worker
  const std::atomic<bool>* stop = nullptr;  ///< set: give out nothing more
};

/// Owns its workers: they end with it.
class Farm {
 public:
  /// Hears why workers have not started yet.
  using Notice = std::function<void(const std::string& state)>;

  /// Submits all workers and waits for the first one. Errors: none can be submitted, none starts in
  /// time, all of them refuse or end at once; *options.stop was set.
  static Result<std::unique_ptr<Farm>> start(std::unique_ptr<Launcher> launcher,
                                             FarmOptions options, const Notice& notice = {});
  /// Ends all workers.
  ~Farm();
  Farm(const Farm&) = delete;
  Farm& operator=(const Farm&) = delete;

  /// What the first worker said when it was ready. Others that say something else are refused.
  const Json& greeting() const { return *greeting_; }

  /// One result for each item. After *stop was set it waits a few seconds for what is running.
  std::vector<ItemResult> run(const Json& context, const std::vector<Json>& items);

  /// Why nothing can be done any more: no worker is left, the spool cannot be written.
  const Status& health() const { return health_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Slot {
    WorkerId worker;
    std::string job;
    std::unique_ptr<Channel> channel;  ///< null: no worker now
    bool is_ready = false;
    bool is_given_up = false;
    std::vector<size_t> items;  ///< that it works on
    uint64_t batch = 0;         ///< their number
    uint64_t beats = 0;
    Clock::time_point heard = {};
    Clock::time_point submitted = {};
    Clock::time_point next = {};  ///< its next submission, without a channel
    int failures = 0;             ///< in a row
    std::string trouble;          ///< the last one
  };
  /// Of one call of run.
  struct Run {
    const Json& context;
    const std::vector<Json>& items;
    ItemQueue queue;
  };

  Farm(std::unique_ptr<Launcher> launcher, FarmOptions options);

  bool isStopped() const { return options_.stop != nullptr && *options_.stop; }
  bool isWorking() const;
  Status submitAll();
  void waitForFirst(const Notice& notice);
  bool look();
  void giveOut();
  size_t batchSize() const;
  void give(Slot& slot, std::vector<size_t> items);
  bool hear(Slot& slot);
  void take(Slot& slot, const Json& message);
  void takeReady(Slot& slot, const Json& greeting);
  void takeResults(Slot& slot, const Json& results);
  void judge(Slot& slot);
  void askSystem();
  void lose(Slot& slot, const std::string& why);
  void resubmit(Slot& slot);
  void failIfNobodyIsLeft();
  void checkStart();
  std::string waitingText() const;

  std::unique_ptr<Launcher> launcher_;
  FarmOptions options_;
  std::vector<Slot> slots_;
  std::optional<Json> greeting_;
  Status health_;
  Run* run_ = nullptr;
  uint64_t batches_ = 0;
  Clock::time_point started_ = Clock::now();
  Clock::time_point next_question_ = {};
  Clock::time_point next_beats_ = {};
  Clock::time_point system_answered_ = Clock::now();
  std::string system_trouble_;
  std::mutex beating_;
  Status beat_;                           // of the heartbeat's thread
  std::unique_ptr<Heartbeat> heartbeat_;  // the last member: it uses the launcher
};

/// The farm's part of a launcher's file.
FarmOptions farmOptions(const LauncherConfig& config);

}  // namespace vta::launcher
