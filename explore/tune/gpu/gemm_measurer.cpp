#include "explore/tune/gpu/gemm_measurer.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "explore/tune/measure/worker_pool.h"

namespace vta::tune {
namespace {

constexpr uint64_t kCompilerBytes = uint64_t{2} << 30;  // beyond what this process has
// The first letter of a text between processes.
constexpr char kMade = '+', kNotMade = '-';

std::string productText(const Result<TrialProgram>& product) {
  if (!product.ok()) return fmt::format("{}{}", kNotMade, product.status().message());
  const auto bytes = serializeGpuProgram(product->program);
  if (!bytes.ok()) return fmt::format("{}{}", kNotMade, bytes.status().message());
  std::string text(1, kMade);
  return text.append(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

Result<GpuProgram> programIn(std::string_view text) {
  return parseGpuProgram(std::as_bytes(std::span(text)));
}

/// What a compiler has answered: a program's bytes, or an error.
Result<std::string> programText(const WorkerAnswer& answer) {
  if (answer.end != WorkerAnswer::End::kAnswered) return internalError(answer.text);
  if (answer.text.starts_with(kMade)) return answer.text.substr(1);
  return invalidArgument(answer.text.substr(1));
}

WorkerAnswer askOnce(WorkerProcesses& processes, const std::string& request) {
  WorkerAnswer answer;
  processes.run(
      1, [&](size_t) { return request; },
      [&](size_t, WorkerAnswer got) { answer = std::move(got); });
  return answer;
}

}  // namespace

GemmMeasurer::GemmMeasurer(MakeProduct make, OpenGpu open, const GemmMeasurerOptions& options)
    : make_(std::move(make)),
      open_(std::move(open)),
      options_(options),
      compilers_(options.compilers, {.timeout = options.timeout, .memory_bytes = kCompilerBytes}),
      device_(1, {.timeout = options.timeout}) {}

Status GemmMeasurer::begin(const GemmTask& task) {
  task_ = &task;
  compilers_.setBody([make = make_, &task](std::string_view request) {
    const auto schedule = parseGemmSchedule(request);
    if (!schedule.ok()) return fmt::format("{}{}", kNotMade, schedule.status().message());
    return productText(make(task, *schedule));
  });
  VTA_ASSIGN_OR_RETURN(TrialProgram reference, make_(task, std::nullopt));
  device_.setBody(
      [worker = std::make_shared<GpuWorker>(open_, std::move(reference), options_.launches)](
          std::string_view request) -> std::string {
        if (request.empty()) return worker->begin().message();
        const size_t space = request.find(' ');
        const uint64_t most = std::stoull(std::string(request.substr(0, space)));
        const auto program = programIn(request.substr(space + 1));
        if (!program.ok()) return answerText({Outcome::kFailed, 0, program.status().message()});
        return answerText(worker->measure(*program, most));
      });
  VTA_RETURN_IF_ERROR(compilers_.start());
  VTA_RETURN_IF_ERROR(device_.start());
  const WorkerAnswer answer = askOnce(device_, "");
  if (answer.end == WorkerAnswer::End::kAnswered && answer.text.empty()) return {};
  return {StatusCode::kDeviceFault,
          fmt::format("'{}' does not compute the results to compare with: {}", task.gpu.text(),
                      answer.text)};
}

std::vector<std::string> GemmMeasurer::compile(std::span<const GemmSchedule> schedules,
                                               std::vector<Measurement>& results) {
  std::vector<std::string> programs(schedules.size());
  std::vector<size_t> legal;
  for (size_t i = 0; i < schedules.size(); ++i) {
    const std::string rule = brokenRule(task_->spec, schedules[i], task_->gpu.limits);
    if (rule.empty()) {
      legal.push_back(i);
    } else {
      results[i] = {Outcome::kFailed, 0, rule};
    }
  }
  compilers_.run(
      legal.size(), [&](size_t i) { return gemmScheduleText(schedules[legal[i]]); },
      [&](size_t i, const WorkerAnswer& answer) {
        auto program = programText(answer);
        if (program.ok()) {
          programs[legal[i]] = *std::move(program);
        } else if (answer.end != WorkerAnswer::End::kAnswered) {
          results[legal[i]] = measurementOf(answer);
        } else {
          results[legal[i]] = {Outcome::kFailed, 0, program.status().message()};
        }
      });
  return programs;
}

std::vector<Measurement> GemmMeasurer::measure(std::span<const GemmSchedule> schedules,
                                               uint64_t most) {
  std::vector<Measurement> results(schedules.size());
  const std::vector<std::string> programs = compile(schedules, results);
  std::vector<size_t> compiled;
  for (size_t i = 0; i < programs.size(); ++i) {
    if (!programs[i].empty()) compiled.push_back(i);
  }
  device_.run(
      compiled.size(), [&](size_t i) { return std::to_string(most) + " " + programs[compiled[i]]; },
      [&](size_t i, const WorkerAnswer& answer) { results[compiled[i]] = measurementOf(answer); });
  return results;
}

}  // namespace vta::tune
