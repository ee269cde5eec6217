#include "tools/vta_server/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "driver/device_registry.h"
#include "tools/common/command_line.h"
#include "tools/common/config_folder.h"

namespace vta::tools {
namespace {

constexpr const char* kExamples = R"(
Examples:
  vta-server --device zynq
      serves the board to programs on this machine
  vta-server --device zynq --listen 0.0.0.0:7420 --tls-cert server.pem --tls-key server.key \
             --tokens tokens.txt
      serves it to clients that have a token
  vta-server --device left=zynq:uio=uio0 --device right=zynq:uio=uio1
      serves two boards; clients write tcp://host:7420,board=left
  vta-server --device functional
      serves a simulator, to try a set-up
  vta-run model.vta.so --device tcp://127.0.0.1:7420
  vta-server --device zynq --flash
      also programs the board: vta-flash vta.bit --device tcp://127.0.0.1:7420
  vta-server --device zynq --modules
      also runs whole modules: vta-run model.vta.so --device tcp://127.0.0.1:7420 --remote-module

Exit codes: 0 ended by Ctrl-C, 1 the work failed, 2 wrong usage.)";

/// Options as they are written.
struct Texts {
  std::vector<std::string> devices;
  std::vector<std::string> hw_files;
  std::string listen = "127.0.0.1:7420";
  std::string metrics;
  std::string memory = "512M";
  bool takes_bitstreams = false;
  std::string bitstream_memory = "64M";
  bool runs_modules = false;
  std::string module_memory = "1G";
  double module_seconds = 60;
  double launch_seconds = 60;
  double idle_seconds = 600;
  double login_seconds = 10;
};

/// "NAME=SPEC" or "SPEC". The name of a device without one is its kind.
ServedDevice servedDevice(const std::string& text) {
  const size_t equals = text.find('=');
  const bool has_name = equals < text.find_first_of(":,/");
  const std::string spec = has_name ? text.substr(equals + 1) : text;
  const std::string name = has_name ? text.substr(0, equals) : spec.substr(0, spec.find(':'));
  return {name, spec, ""};
}

std::string checkDevice(const ServedDevice& device) {
  const auto spec = driver::parseDeviceSpec(device.spec);
  const Status status = spec.ok() ? driver::checkDevice(*spec) : spec.status();
  if (!status.ok()) return fmt::format("--device {}: {}", device.spec, status.message());
  if (spec->name == "remote") {
    return fmt::format(
        "--device {}: a server offers the devices of its own machine; give clients "
        "the other server's address",
        device.spec);
  }
  const bool is_name = !device.name.empty() && std::ranges::all_of(device.name, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  });
  if (is_name) return "";
  return fmt::format("--device {}: a name has letters, digits, '-', '_' and '.'", device.spec);
}

std::string setDevices(const Texts& texts, ServerToolOptions& options) {
  for (const std::string& text : texts.devices) {
    ServedDevice device = servedDevice(text);
    if (std::string problem = checkDevice(device); !problem.empty()) return problem;
    const auto known = std::ranges::find(options.devices, device.name, &ServedDevice::name);
    if (known != options.devices.end()) {
      return fmt::format("two devices are called '{}'; name them: --device NAME=SPEC", device.name);
    }
    options.devices.push_back(std::move(device));
  }
  const size_t files = texts.hw_files.size();
  if (files > 1 && files != options.devices.size()) {
    return fmt::format("{} --hw for {} --device: give one for all, or one for each", files,
                       options.devices.size());
  }
  for (size_t i = 0; i < options.devices.size() && files > 0; ++i) {
    options.devices[i].hw_file = texts.hw_files[files == 1 ? 0 : i];
  }
  return "";
}

std::string setAddresses(const Texts& texts, ServerToolOptions& options) {
  auto listen = remote::parseHostPort(texts.listen);
  if (!listen.ok()) return "--listen: " + listen.status().message();
  options.server.listen = *std::move(listen);
  if (texts.metrics.empty()) return "";
  auto metrics = remote::parseHostPort(texts.metrics);
  if (!metrics.ok()) return "--metrics: " + metrics.status().message();
  options.server.metrics = *std::move(metrics);
  return "";
}

std::string setBytes(const char* option, const std::string& text, uint64_t& bytes) {
  const auto parsed = driver::parseBytes(text);
  if (!parsed) return fmt::format("{} {}: write a size such as 256M or 1GiB", option, text);
  bytes = *parsed;
  return "";
}

std::chrono::milliseconds fromSeconds(double seconds) {
  constexpr double kMsPerSecond = 1e3;
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * kMsPerSecond));
}

/// The program that runs modules lies beside this one.
std::string setModules(const Texts& texts, ServerToolOptions& options) {
  if (!texts.runs_modules) return "";
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path program = self.parent_path() / "vta-module-worker";
  if (error || !std::filesystem::exists(program, error)) {
    return fmt::format("--modules: '{}' is missing; install it beside vta-server",
                       program.string());
  }
  options.server.module_program = program.string();
  return "";
}

/// Boards that clients may program, all of them on one machine.
std::string setProgramming(const Texts& texts, ServerToolOptions& options) {
  if (!texts.takes_bitstreams) return "";
  remote::ProgrammingOptions programming;
  std::string first;  // device
  for (ServedDevice& device : options.devices) {
    const auto spec = driver::parseDeviceSpec(device.spec);  // checked before
    const std::string_view key = driver::findDeviceKind(spec->name)->board_root;
    if (key.empty()) continue;
    device.is_programmable = true;
    const auto given = spec->options.find(key);
    const std::filesystem::path root = given == spec->options.end() ? "/" : given->second;
    if (!first.empty() && root != programming.root) {
      return fmt::format(
          "--flash: '{}' and '{}' have different {}=, so they are different machines; "
          "start a server for each",
          first, device.name, key);
    }
    first = device.name;
    programming.root = root;
  }
  if (first.empty()) return "--flash: no --device is a board whose FPGA can be programmed (zynq)";
  options.server.programming = std::move(programming);
  return setBytes("--flash-memory", texts.bitstream_memory, options.server.programming->most_bytes);
}

std::string checkOptions(const Texts& texts, ServerToolOptions& options) {
  remote::Limits& limits = options.server.limits;
  std::string problem = setDevices(texts, options);
  if (problem.empty()) problem = setAddresses(texts, options);
  if (problem.empty()) problem = setBytes("--memory-limit", texts.memory, limits.memory_bytes);
  if (problem.empty()) {
    problem = setBytes("--module-memory", texts.module_memory, limits.module_bytes);
  }
  if (problem.empty()) problem = setModules(texts, options);
  if (problem.empty()) problem = setProgramming(texts, options);
  if (!problem.empty()) return problem;
  limits.launch = fromSeconds(texts.launch_seconds);
  limits.idle = fromSeconds(texts.idle_seconds);
  limits.login = fromSeconds(texts.login_seconds);
  limits.module_run = fromSeconds(texts.module_seconds);
  return remote::checkExposure(options.server).message();
}

void addSecurity(CLI::App& app, remote::ServerOptions& server) {
  app.add_option("--tls-cert", server.tls_certificate, "The server's certificate (PEM)")
      ->type_name("FILE");
  app.add_option("--tls-key", server.tls_key, "Its key (PEM); only its owner may read the file")
      ->type_name("FILE");
  app.add_option("--tls-client-ca", server.tls_client_ca,
                 "Let in only clients with a certificate of these authorities (PEM)")
      ->type_name("FILE");
  app.add_option("--tokens", server.token_file,
                 "Let in only clients with a token of this file: lines of NAME TOKEN; only its "
                 "owner may read the file")
      ->type_name("FILE");
  app.add_flag("--insecure", server.is_insecure,
               "Listen at addresses that others reach without TLS and tokens");
}

constexpr double kLeastSeconds = 0.01;
constexpr double kMostSeconds = 1e6;

void addModules(CLI::App& app, Texts& texts) {
  app.add_flag("--modules", texts.runs_modules,
               "Also run whole modules. They are native code: a client can do with this machine "
               "what you can");
  app.add_option("--module-memory", texts.module_memory,
                 "Memory of a module's process, and the size of a module")
      ->type_name("SIZE")
      ->capture_default_str();
  app.add_option("--module-limit", texts.module_seconds,
                 "Seconds that loading a module and each run of it may take")
      ->check(numberFrom(kLeastSeconds, kMostSeconds))
      ->capture_default_str();
}

void addProgramming(CLI::App& app, Texts& texts) {
  app.add_flag(
      "--flash", texts.takes_bitstreams,
      "Also program the FPGA with the bitstreams of clients (vta-flash --device tcp://...); "
      "boards are what their registers say, and may be empty at first");
  app.add_option("--flash-memory", texts.bitstream_memory, "The largest bitstream")
      ->type_name("SIZE")
      ->capture_default_str();
}

void addLimits(CLI::App& app, Texts& texts, remote::Limits& limits) {
  app.add_option("--memory-limit", texts.memory, "Device memory of one client")
      ->type_name("SIZE")
      ->capture_default_str();
  app.add_option("--launch-limit", texts.launch_seconds, "Seconds that one launch may take")
      ->check(numberFrom(kLeastSeconds, kMostSeconds))
      ->capture_default_str();
  app.add_option("--idle-limit", texts.idle_seconds,
                 "Seconds after which a session without requests ends")
      ->check(numberFrom(kLeastSeconds, kMostSeconds))
      ->capture_default_str();
  app.add_option("--max-sessions", limits.sessions, "Sessions at the same time")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option(
         "--max-client-sessions", limits.client_sessions,
         "Sessions of one client at the same time; clients without tokens are told apart by "
         "their address (default: three quarters of --max-sessions)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--max-connections", limits.connections,
                 "Connections at the same time, with or without a session (default: 48 more than "
                 "--max-sessions)")
      ->check(CLI::Range(1, 100'000));
  app.add_option("--login-limit", texts.login_seconds,
                 "Seconds after which a connection without a session is closed")
      ->check(numberFrom(kLeastSeconds, kMostSeconds))
      ->capture_default_str();
}

}  // namespace

bool parseServerOptions(int argc, char** argv, ServerToolOptions& options, int& exit_code) {
  Texts texts;
  CLI::App app("Offers the devices of this machine to programs on other machines.", kServerTool);
  app.footer(kExamples);
  addRepeatable(app, "--device", texts.devices,
                "Device to serve, as SPEC or NAME=SPEC; vta-info lists the devices; may be "
                "repeated")
      ->required();
  addRepeatable(app, "--hw", texts.hw_files,
                "Configuration of the devices: once for all, or once for each")
      ->type_name("NAME|FILE")
      ->transform(hardwareName());
  app.add_option("--listen", texts.listen, "Where clients come")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  app.add_option("--metrics", texts.metrics, "Serve numbers for Prometheus at /metrics there")
      ->type_name("HOST:PORT");
  addSecurity(app, options.server);
  addLimits(app, texts, options.server.limits);
  addModules(app, texts);
  addProgramming(app, texts);
  if (!parseCommandLine(app, kServerTool, argc, argv, exit_code)) return false;
  const std::string problem = checkOptions(texts, options);
  if (problem.empty()) return true;
  exit_code = reportUsage(kServerTool, problem);
  return false;
}

}  // namespace vta::tools
