#include "driver/remote/server/metrics.h"

#include <fmt/format.h>
#include <prometheus/counter.h>
#include <prometheus/exposer.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <exception>

namespace vta::remote {
namespace {

using prometheus::Family;

const prometheus::Histogram::BucketBoundaries kSeconds = {1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 60};

template <typename Metric>
Family<Metric>& family(prometheus::Registry& registry, const char* name, const char* help) {
  if constexpr (std::is_same_v<Metric, prometheus::Counter>) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
  } else if constexpr (std::is_same_v<Metric, prometheus::Gauge>) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
  } else {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
  }
}

}  // namespace

struct Metrics::Families {
  using Counters = Family<prometheus::Counter>;
  using Gauges = Family<prometheus::Gauge>;
  using Histograms = Family<prometheus::Histogram>;

  std::shared_ptr<prometheus::Registry> registry = std::make_shared<prometheus::Registry>();
  Gauges& sessions =
      family<prometheus::Gauge>(*registry, "vta_server_sessions", "Sessions that are open");
  Counters& all_sessions =
      family<prometheus::Counter>(*registry, "vta_server_sessions_total", "Sessions so far");
  Counters& refused = family<prometheus::Counter>(*registry, "vta_server_refused_total",
                                                  "Sessions that were refused, by reason");
  Counters& launches =
      family<prometheus::Counter>(*registry, "vta_server_launches_total", "Launches that ended");
  Counters& faults = family<prometheus::Counter>(*registry, "vta_server_launch_faults_total",
                                                 "Launches that ended with a fault");
  Counters& failures =
      family<prometheus::Counter>(*registry, "vta_server_launch_failures_total",
                                  "Launches that the device or a limit of the server ended");
  Histograms& device_seconds = family<prometheus::Histogram>(*registry, "vta_server_launch_seconds",
                                                             "Time of launches on the device");
  Histograms& queue_seconds = family<prometheus::Histogram>(
      *registry, "vta_server_queue_seconds", "Time that launches waited for the device");
  Counters& module_runs = family<prometheus::Counter>(*registry, "vta_server_module_runs_total",
                                                      "Runs of whole modules that ended");
  Counters& module_failures =
      family<prometheus::Counter>(*registry, "vta_server_module_failures_total",
                                  "Runs of whole modules that ended with an error");
  Counters& bitstreams = family<prometheus::Counter>(*registry, "vta_server_bitstreams_total",
                                                     "Bitstreams that came whole");
  Counters& bitstream_failures =
      family<prometheus::Counter>(*registry, "vta_server_bitstream_failures_total",
                                  "Bitstreams that were not loaded, or not verified");
  Counters& received = family<prometheus::Counter>(*registry, "vta_server_received_bytes_total",
                                                   "Bytes that clients wrote to device memory");
  Counters& sent = family<prometheus::Counter>(*registry, "vta_server_sent_bytes_total",
                                               "Bytes that clients read from device memory");
  Gauges& memory = family<prometheus::Gauge>(*registry, "vta_server_memory_bytes",
                                             "Device memory that clients have allocated");
  std::unique_ptr<prometheus::Exposer> exposer;
};

Metrics::Metrics() : families_(std::make_unique<Families>()) {}
Metrics::~Metrics() = default;

Status Metrics::expose(const HostPort& address) {
  try {
    constexpr size_t kThreads = 1;
    families_->exposer = std::make_unique<prometheus::Exposer>(address.text(), kThreads);
    families_->exposer->RegisterCollectable(families_->registry);
  } catch (const std::exception& error) {
    return ioError(fmt::format("metrics cannot be served at {}: {}; is the port in use?",
                               address.text(), error.what()));
  }
  return {};
}

void Metrics::sessionBegan(const std::string& device) {
  families_->sessions.Add({{"device", device}}).Increment();
  families_->all_sessions.Add({{"device", device}}).Increment();
}

void Metrics::sessionEnded(const std::string& device) {
  families_->sessions.Add({{"device", device}}).Decrement();
}

void Metrics::refused(const std::string& reason) {
  families_->refused.Add({{"reason", reason}}).Increment();
}

void Metrics::launchDone(const LaunchDone& launch) {
  const prometheus::Labels labels = {{"device", launch.device}, {"client", launch.client}};
  families_->launches.Add(labels).Increment();
  if (launch.is_fault) families_->faults.Add(labels).Increment();
  families_->device_seconds.Add({{"device", launch.device}}, kSeconds).Observe(launch.seconds);
  families_->queue_seconds.Add({{"device", launch.device}}, kSeconds).Observe(launch.wait_seconds);
}

void Metrics::launchFailed(const std::string& device, const std::string& client) {
  families_->failures.Add({{"device", device}, {"client", client}}).Increment();
}

void Metrics::moduleRan(const std::string& client, bool is_ok) {
  families_->module_runs.Add({{"client", client}}).Increment();
  if (!is_ok) families_->module_failures.Add({{"client", client}}).Increment();
}

void Metrics::boardProgrammed(const std::string& client, bool is_ok) {
  families_->bitstreams.Add({{"client", client}}).Increment();
  if (!is_ok) families_->bitstream_failures.Add({{"client", client}}).Increment();
}

void Metrics::received(const std::string& device, uint64_t bytes) {
  families_->received.Add({{"device", device}}).Increment(static_cast<double>(bytes));
}

void Metrics::sent(const std::string& device, uint64_t bytes) {
  families_->sent.Add({{"device", device}}).Increment(static_cast<double>(bytes));
}

void Metrics::setMemory(const std::string& device, uint64_t bytes) {
  families_->memory.Add({{"device", device}}).Set(static_cast<double>(bytes));
}

}  // namespace vta::remote
