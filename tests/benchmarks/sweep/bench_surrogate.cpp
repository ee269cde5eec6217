// How well the learned model of vta-sweep predicts points that it has not seen, and how quickly.
//
// Takes the results of an enumerated sweep. For each number of training points it draws that many
// by chance, learns from them and predicts all others, with several seeds. Prints JSON.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "explore/sweep/surrogate/surrogate.h"

namespace vta::sweep {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;

constexpr int kSeeds = 10;
constexpr size_t kTimedRows = 200'000;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<PointResult> readResults(const Json& json, SweepSpace& space) {
  std::vector<PointResult> results;
  for (const Json& point : json.at("points")) {
    if (point.at("status") != "ok") continue;
    PointResult result;
    result.point = space.point(point.at("choices").get<std::vector<uint32_t>>());
    for (const auto& [name, value] : point.at("values").items()) result.values[name] = value;
    results.push_back(std::move(result));
  }
  return results;
}

struct Errors {
  double mean = 0;
  double worst = 0;
  double fit_seconds = 0;
};

Errors errorsOf(const SweepConfig& sweep, const std::vector<PointResult>& results,
                const std::string& name, size_t training, unsigned seed) {
  std::vector<const PointResult*> order;
  for (const PointResult& result : results) order.push_back(&result);
  std::mt19937 random(seed);
  std::ranges::shuffle(order, random);
  Surrogate surrogate(sweep, {name});
  const auto start = Clock::now();
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(training);
  const Status status = surrogate.fit({order.begin(), middle});
  if (!status.ok()) return {};
  Errors errors{0, 0, secondsSince(start)};
  std::vector<double> rows;
  for (auto it = middle; it != order.end(); ++it) surrogate.inputs().append((*it)->point, rows);
  const std::vector<double> found = surrogate.predict(rows)[0];
  for (size_t i = 0; i < found.size(); ++i) {
    const double error =
        std::abs(found[i] / middle[static_cast<std::ptrdiff_t>(i)]->values.at(name) - 1);
    errors.mean += error / static_cast<double>(found.size());
    errors.worst = std::max(errors.worst, error);
  }
  return errors;
}

double predictionsPerSecond(const SweepConfig& sweep, const std::vector<PointResult>& results,
                            const std::string& name, size_t training) {
  std::vector<const PointResult*> some;
  for (size_t i = 0; i < training; ++i) some.push_back(&results[i * results.size() / training]);
  Surrogate surrogate(sweep, {name});
  if (!surrogate.fit(some).ok()) return 0;
  std::vector<double> rows;
  while (rows.size() < kTimedRows * surrogate.inputs().count()) {
    for (const PointResult& result : results) surrogate.inputs().append(result.point, rows);
  }
  const auto start = Clock::now();
  const auto values = surrogate.predict(rows);
  return static_cast<double>(values[0].size()) / secondsSince(start);
}

int run(int argc, char** argv) {
  std::string sweep_file;
  std::string results_file;
  std::string name = "latency_ms";
  std::vector<size_t> trainings = {50, 100, 200, 400};
  CLI::App app("Error and speed of vta-sweep's learned model on results of an enumerated sweep.");
  app.add_option("sweep", sweep_file, "The description of the sweep")->required();
  app.add_option("results", results_file, "What vta-sweep --output wrote of it")->required();
  app.add_option("--result", name, "The result that is predicted")->capture_default_str();
  app.add_option("--training", trainings, "Numbers of training points")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  auto sweep = loadSweepConfig(sweep_file);
  if (!sweep.ok()) return fmt::print(stderr, "{}\n", sweep.status().message()), 1;
  auto space = SweepSpace::create(*sweep);
  if (!space.ok()) return fmt::print(stderr, "{}\n", space.status().message()), 1;
  std::ifstream file(results_file);
  const std::vector<PointResult> results = readResults(Json::parse(file), *space);
  Json rows = Json::array();
  for (const size_t training : trainings) {
    if (training >= results.size()) continue;
    Errors sum;
    for (unsigned seed = 1; seed <= kSeeds; ++seed) {
      const Errors errors = errorsOf(*sweep, results, name, training, seed);
      sum.mean += errors.mean / kSeeds;
      sum.worst = std::max(sum.worst, errors.worst);
      sum.fit_seconds += errors.fit_seconds / kSeeds;
    }
    rows.push_back(
        {{"training", training},
         {"mean_error", sum.mean},
         {"worst_error", sum.worst},
         {"fit_seconds", sum.fit_seconds},
         {"predictions_per_second", predictionsPerSecond(*sweep, results, name, training)}});
  }
  fmt::print("{}\n", rows.dump(1));
  return 0;
}

}  // namespace
}  // namespace vta::sweep

int main(int argc, char** argv) { return vta::sweep::run(argc, argv); }
