#include "tools/vta_run/image/run_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "tools/common/command_line.h"
#include "tools/common/files.h"
#include "tools/common/main/run_tool.h"
#include "tools/common/output_paths.h"
#include "tools/common/print.h"
#include "tools/common/progress/progress_line.h"
#include "tools/common/progress/progress_ticker.h"
#include "tools/common/terminal.h"
#include "tools/vta_run/device_options.h"
#include "tools/vta_run/image/memory_image.h"
#include "tools/vta_run/options.h"

namespace vta::tools {
namespace {

constexpr const char* kImageExamples = R"(
Examples:
  vta-run --image 1.pre.img.gz --description 1.json --expect 1.post.img.gz
      memory before and after a launch: exit code 1 unless they are equal
  vta-run --image stream.bin --address 4096 --memory 1MiB --sim=functional --save after.img
      an instruction stream in memory that is otherwise zero
docs/images.md describes the files.

Exit codes: 0 done, 1 the work failed, 2 wrong usage.)";

// Long enough for any launch on the RTL; who waits can stop it.
constexpr std::chrono::hours kTimeout{24};

struct ImageOptions {
  std::string image, description, expect, save, hw_file;
  std::vector<std::string> extensions;
  std::string address, launch, memory;  // numbers as they are written
  DeviceChoice device;
  bool verify = false;
  bool json = false;
};

/// "4096" or "0x1000".
bool parseNumber(std::string_view text, uint64_t& value) {
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  if (is_hex) text.remove_prefix(2);
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value, is_hex ? 16 : 10);
  return error == std::errc() && rest == end;
}

/// Fills in what the options say, behind the description; an error text for what is no number.
std::string applyNumbers(const ImageOptions& options, MemoryImage& image, uint64_t& size_bytes) {
  if (!options.address.empty()) {
    if (!parseNumber(options.address, image.address))
      return fmt::format("--address={}: not a number from 0, such as 4096 or 0x1000",
                         options.address);
    if (options.description.empty()) image.launch.instruction_address = image.address;
  }
  if (!options.launch.empty()) {
    const size_t colon = std::min(options.launch.find(':'), options.launch.size());
    uint64_t count = 0;
    const bool has_count = colon < options.launch.size();
    const std::string_view text = options.launch;
    if (!parseNumber(text.substr(0, colon), image.launch.instruction_address) ||
        (has_count && !parseNumber(text.substr(colon + 1), count)) || count > UINT32_MAX) {
      return fmt::format("--launch={}: not ADDRESS or ADDRESS:COUNT, such as 0x1000:12",
                         options.launch);
    }
    image.launch.instruction_count = static_cast<uint32_t>(count);
  }
  if (options.memory.empty()) return "";
  const std::optional<uint64_t> bytes = driver::parseBytes(options.memory);
  if (!bytes) return fmt::format("--memory={}: not a size, such as 65536 or 64KiB", options.memory);
  size_bytes = *bytes;
  return "";
}

Status checkImageFiles(const ImageOptions& options, const driver::DeviceSpec& device) {
  PathUse use;
  use.inputs = {{"--image", options.image},
                {"--description", options.description},
                {"--expect", options.expect},
                {"--hw", options.hw_file}};
  use.outputs = {{"--save", options.save}, {"--waves", options.device.waves}};
  VTA_RETURN_IF_ERROR(checkPaths(use));
  return driver::checkDevice(device);
}

Result<driver::LaunchResult> waitFor(driver::Device& device, const MemoryImage& image) {
  ProgressLine progress;
  const ProgressTicker ticker(progress, [&] {
    const double executed = device.executedInstructions();
    progress.update("run", std::min(1.0, executed / image.launch.instruction_count), 1);
  });
  return device.wait(kTimeout);
}

Result<driver::LaunchResult> launch(driver::Device& device, MemoryImage& image) {
  if (!device.info().capabilities.fixed_addresses) {
    return unsupported(fmt::format("{} has no fixed addresses, which an image needs; {}",
                                   device.info().name, device.info().limitations));
  }
  VTA_RETURN_IF_ERROR(device.allocateAt(image.address, image.bytes.size()).status());
  VTA_RETURN_IF_ERROR(device.write(image.address, image.bytes));
  VTA_RETURN_IF_ERROR(device.submit(image.launch));
  VTA_ASSIGN_OR_RETURN(driver::LaunchResult result, waitFor(device, image));
  VTA_RETURN_IF_ERROR(device.read(image.address, image.bytes));
  return result;
}

Status faultStatus(const Fault& fault) {
  // Faults in front of the first instruction have no text.
  const std::string text = fault.disassembly.empty() ? "" : fmt::format(" `{}`", fault.disassembly);
  return Status(StatusCode::kDeviceFault,
                fmt::format("instruction {}{}: {}: {}", fault.instruction, text,
                            faultKindName(fault.kind), fault.reason));
}

Status compare(const MemoryImage& image, const std::string& path) {
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> expected, readImageFile(path));
  if (expected.size() != image.bytes.size()) {
    return invalidArgument(
        fmt::format("{}: {} bytes, the memory has {}", path, expected.size(), image.bytes.size()));
  }
  const auto [at, other] = std::ranges::mismatch(image.bytes, expected);
  if (at == image.bytes.end()) return {};
  size_t count = 0;
  for (size_t i = 0; i < expected.size(); ++i) count += expected[i] != image.bytes[i] ? 1 : 0;
  return Status(
      StatusCode::kInternal,
      fmt::format("{}: {} bytes differ, the first at {:#x}: {:#04x} instead of {:#04x}", path,
                  count, image.address + static_cast<uint64_t>(at - image.bytes.begin()),
                  static_cast<unsigned>(*at), static_cast<unsigned>(*other)));
}

using NamedUnit = std::pair<const char*, const UnitCounters*>;

std::array<NamedUnit, 4> unitsOf(const LaunchCounters& counters) {
  return {NamedUnit{"fetch", &counters.fetch}, NamedUnit{"load", &counters.load},
          NamedUnit{"compute", &counters.compute}, NamedUnit{"store", &counters.store}};
}

std::string textOf(const driver::Device& device, const MemoryImage& image,
                   const LaunchCounters& counters) {
  const bool has_cycles = device.info().capabilities.cycles;
  using Align = Table::Align;
  Table table({{"unit"},
               {"instructions", Align::kRight},
               {"busy", Align::kRight},
               {"for tokens", Align::kRight},
               {"for memory", Align::kRight},
               {"for hazards", Align::kRight},
               {"bytes read", Align::kRight},
               {"bytes written", Align::kRight}});
  for (const auto& [name, unit] : unitsOf(counters)) {
    const auto cycles = [&](uint64_t value) { return has_cycles ? formatCount(value) : ""; };
    table.addRow({name, formatCount(unit->instructions), cycles(unit->busy_cycles),
                  cycles(unit->stall_token_cycles), cycles(unit->stall_memory_cycles),
                  cycles(unit->stall_hazard_cycles), formatCount(unit->read_bytes),
                  formatCount(unit->write_bytes)});
  }
  return fmt::format("{}: {} instructions at {:#x}{}\n{}", device.info().name,
                     image.launch.instruction_count, image.launch.instruction_address,
                     has_cycles ? ", " + formatCount(counters.cycles) + " cycles" : "",
                     table.toString());
}

std::string jsonOf(const driver::Device& device, const MemoryImage& image,
                   const LaunchCounters& counters) {
  nlohmann::ordered_json json = {{"device", device.info().name},
                                 {"instructions", image.launch.instruction_count},
                                 {"cycles", nullptr},
                                 {"gemm_uops", counters.gemm_uops},
                                 {"alu_uops", counters.alu_uops}};
  if (device.info().capabilities.cycles) json["cycles"] = counters.cycles;
  for (const auto& [name, unit] : unitsOf(counters)) {
    json[name] = {{"instructions", unit->instructions},
                  {"busy_cycles", unit->busy_cycles},
                  {"stall_token_cycles", unit->stall_token_cycles},
                  {"stall_memory_cycles", unit->stall_memory_cycles},
                  {"stall_hazard_cycles", unit->stall_hazard_cycles},
                  {"read_bytes", unit->read_bytes},
                  {"write_bytes", unit->write_bytes}};
  }
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Status runImage(const ImageOptions& options, const driver::DeviceSpec& spec, MemoryImage& image,
                uint64_t size_bytes, const RunFeatures& features) {
  HwConfig hw = HwConfig::makeDefault();
  if (!options.hw_file.empty() || !options.extensions.empty()) {
    VTA_ASSIGN_OR_RETURN(hw, features.read_hw(options.hw_file, options.extensions));
  }
  VTA_ASSIGN_OR_RETURN(image.bytes, readImageFile(options.image));
  VTA_RETURN_IF_ERROR(completeImage(image, size_bytes, hw));
  if (options.verify) {
    VTA_ASSIGN_OR_RETURN(const Program program, programOf(image, hw));
    VTA_RETURN_IF_ERROR(features.check_program(program, hw));
  }
  ProgressLine progress;
  const auto tell = [&](const std::string& what) { progress.update(what, 0, 0); };
  auto device = driver::createDevice(spec, hw, tell);
  progress.clear();
  if (!device.ok()) return device.status();
  VTA_ASSIGN_OR_RETURN(const driver::LaunchResult result, launch(**device, image));
  if (!options.save.empty()) VTA_RETURN_IF_ERROR(writeFile(options.save, image.bytes));
  if (result.fault) return faultStatus(*result.fault);
  if (options.json) {
    printRaw(jsonOf(**device, image, result.counters));
  } else {
    printText(textOf(**device, image, result.counters));
  }
  if (options.expect.empty()) return {};
  VTA_RETURN_IF_ERROR(compare(image, options.expect));
  if (!options.json) print("memory equals {}\n", options.expect);
  return {};
}

void addImageOptions(CLI::App& app, const RunFeatures& features, ImageOptions& options) {
  app.footer(kImageExamples);
  app.add_option("--image", options.image, "Device memory: bytes, also packed by gzip")
      ->required()
      ->type_name("FILE");
  app.add_option("--description", options.description,
                 "Where the image and its instructions lie, and the base registers (JSON)")
      ->type_name("FILE");
  app.add_option("--address", options.address,
                 "Address of the image's first byte; without --description the instructions begin "
                 "there; default: 0")
      ->type_name("N");
  app.add_option("--launch", options.launch,
                 "Address and number of the instructions; without a number: up to FINISH")
      ->type_name("ADDRESS[:COUNT]");
  app.add_option("--memory", options.memory,
                 "Size of the memory, zero after the image; default: the image's")
      ->type_name("SIZE[K|M|G]");
  app.add_option("--expect", options.expect, "What memory has to be equal to after the launch")
      ->type_name("FILE");
  app.add_option("--save", options.save, "Write memory after the launch to this file")
      ->type_name("FILE");
  if (features.check_program != nullptr) {
    app.add_flag("--verify", options.verify, "Prove the program free of races and deadlocks first");
  }
  addDeviceChoice(app, options.device);
  if (features.read_hw != nullptr) {
    addHardware(app, options.hw_file);
    addExtensions(app, options.extensions);
  }
  app.add_flag("--json", options.json, "Print one JSON object instead of text");
}

int parseAndRun(int argc, char** argv, const RunFeatures& features) {
  ImageOptions options;
  CLI::App app("Runs the instructions in a memory image on a VTA accelerator.");
  addImageOptions(app, features, options);
  int exit_code = kExitOk;
  if (!parseWithDevice(app, kRunTool, argc, argv, exit_code)) return exit_code;
  driver::DeviceSpec device;
  const std::string problem = chooseDevice(options.device, device);
  if (!problem.empty()) return reportUsage(kRunTool, problem);
  Status status = checkImageFiles(options, device);
  MemoryImage image;
  if (status.ok() && !options.description.empty()) {
    status = readDescription(options.description, image);
  }
  uint64_t size_bytes = 0;
  if (const std::string wrong = applyNumbers(options, image, size_bytes); !wrong.empty()) {
    return reportUsage(kRunTool, wrong);
  }
  if (status.ok()) status = runImage(options, device, image, size_bytes, features);
  return exitCodeOf(kRunTool, status);
}

}  // namespace

bool wantsImage(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc, [](std::string_view argument) {
    return argument == "--image" || argument.starts_with("--image=");
  });
}

int runImageMain(int argc, char** argv, const RunFeatures& features) {
  return runTool(kRunTool, argc, argv,
                 [&](int count, char** values) { return parseAndRun(count, values, features); });
}

}  // namespace vta::tools
