#include "tools/vta_flash/options.h"

#include <fmt/format.h>

#include <utility>

#include "base/closest_name.h"
#include "driver/flash/format/fpga_dies.h"
#include "tools/common/command_line.h"
#include "tools/common/names/choices.h"
#include "tools/common/names/remote_devices.h"

namespace vta::tools {
namespace {

constexpr const char* kExamples = R"(
Examples:
  vta-flash vta.bit
      check the bitstream against this board, load it, set clocks and port widths, read back what
      answers; vta.json beside it says what it needs
  vta-flash --info vta.bit
      what a file is, on any machine
  vta-flash vta.bit --via jtag --jtag-option --cable --jtag-option digilent
      from a PC, over a cable
  vta-flash --test
      whether the core that is loaded computes and reaches memory
  vta-flash --test --device zynq:map=four-block --hw vta-0.0.2
      the same for a published bitstream of VTA 0.0.2
  vta-flash vta.bit --device tcp://board:7420,ca=server.pem,token=ann.token
      the board of a vta-server that was started with --flash
  vta-flash --package overlay/ vta.bit
      the files that PYNQ's Overlay and Kria's tools want beside it

Exit codes: 0 done, 1 the work failed, 2 wrong usage.)";

/// Actions that are flags.
struct ActionFlags {
  bool info = false;
  bool list = false;
  bool test = false;
};

void addActions(CLI::App& app, FlashOptions& options, ActionFlags& flags) {
  app.add_option("bitstream", options.bitstream, "Bitstream: .bit, .bin, .bit.bin or .xclbin");
  app.add_flag("--info", flags.info, "Print what the file is and load nothing");
  app.add_flag("--list", flags.list, "Print what is installed and loaded on this board");
  app.add_flag("--test", flags.test,
               "Test what is loaded with known answers: identification, LOAD and STORE, GEMM, "
               "interrupt; load nothing");
  app.add_option("--package", options.package_dir,
                 "Write the files that PYNQ and dfx-mgr want into this folder; load nothing")
      ->type_name("DIR");
  app.add_option("--convert", options.convert_file,
                 "Write the bitstream as Linux's FPGA manager takes it; load nothing")
      ->type_name("FILE");
  groupOptions(app, "What to do");
}

void addWays(CLI::App& app, FlashOptions& options) {
  app.add_option("--description", options.description,
                 "What the bitstream needs; default: the .json file of the same name beside it, or "
                 "vta.json there")
      ->type_name("FILE");
  app.add_option("--via", options.request.via,
                 "How to load: manager (sysfs), overlay (device tree), dfx (dfx-mgr), xrt, jtag "
                 "(openFPGALoader); default: what this machine has")
      ->check(OneOf({"auto", "manager", "overlay", "dfx", "xrt", "jtag"}))
      ->type_name("WAY");
  app.add_option("--die", options.request.die,
                 "The device's die, part or IDCODE; default: what the machine says")
      ->type_name("NAME")
      ->check(Offered([] { return namesOf(flash::fpgaDies(), &flash::FpgaDie::name); }));
  app.add_flag("--dev-mem", options.request.use_memory,
               "Use /dev/mem for clocks, port widths and registers that the kernel does not give; "
               "needs root");
  app.add_flag("--slower-clock", options.request.slower_clock,
               "Where the PLL cannot make the clock that the bitstream was timed for, take the "
               "nearest lower one");
  app.add_option("--card", options.request.card, "Which card, for --via xrt: 0000:03:00.1")
      ->type_name("ADDRESS");
  addRepeatable(app, "--jtag-option", options.request.jtag_options, "A word for openFPGALoader")
      ->type_name("WORD");
  app.add_option("--device", options.device,
                 "Whose FPGA: that of this machine, or tcp://host:port, which a vta-server with "
                 "--flash programs; and what --test tests, as of vta-run")
      ->type_name("DEVICE")
      ->capture_default_str();
  app.add_option("--hw", options.hw_file,
                 "Configuration of what --test tests, where no registers tell it: a YAML file, or "
                 "the name of one in configs/hw")
      ->type_name("FILE|NAME")
      ->transform(hardwareName());
  groupOptions(app, "How");
  app.add_flag("--json", options.json, "Print one JSON object instead of text");
  app.add_option("--root", options.root,
                 "Where /sys, /dev, /proc and /lib/firmware are, to try things out; commands then "
                 "are those of its usr/bin")
      ->type_name("DIR");
  groupOptions(app, "Other");
}

/// A mistake in what was asked for; empty if there is none.
std::string mistake(const FlashOptions& options, int actions) {
  if (actions > 1) return "--info, --list, --test, --package and --convert exclude each other";
  const bool needs_file =
      options.action != FlashAction::kList && options.action != FlashAction::kTest;
  if (needs_file && options.bitstream.empty()) {
    return "no bitstream; name one, or give --list or --test";
  }
  if (!needs_file && !options.bitstream.empty()) return "--list and --test take no bitstream";
  if (!options.hw_file.empty() && options.action != FlashAction::kTest) return "--hw needs --test";
  return "";
}

/// What cannot be asked of a server.
std::string serverMistake(const FlashOptions& options) {
  const bool is_test = options.action == FlashAction::kTest;
  if (is_test) return options.hw_file.empty() ? "--test of a server's device needs --hw" : "";
  if (options.action != FlashAction::kFlash) {
    return fmt::format("--device {}: a server takes bitstreams, and --test; leave out --device",
                       options.device);
  }
  const std::string& via = options.request.via;
  const std::pair<bool, std::string> here_only[] = {
      {options.root != "/", "--root"},
      {!options.request.card.empty(), "--card"},
      {!options.request.jtag_options.empty(), "--jtag-option"},
      {via == viaName(flash::Via::kXrt) || via == viaName(flash::Via::kJtag), "--via " + via}};
  for (const auto& [is_given, option] : here_only) {
    if (!is_given) continue;
    return fmt::format(
        "{} is for the machine that vta-flash runs on; a server programs its own "
        "FPGA by the FPGA manager, an overlay or dfx-mgr",
        option);
  }
  return "";
}

/// Finds out whose device it is. Of this machine's, a bitstream goes to the only FPGA.
std::string setServer(FlashOptions& options) {
  if (options.device.starts_with("tcp:") && driver::findDeviceKind("tcp") == nullptr) {
    return noRemoteDevices(options.device);
  }
  if (options.device.starts_with("tcp:")) {
    auto spec = driver::parseDeviceSpec(options.device);
    const Status status = spec.ok() ? driver::checkDevice(*spec) : spec.status();
    if (!status.ok()) return fmt::format("--device {}: {}", options.device, status.message());
    options.server = *std::move(spec);
    return serverMistake(options);
  }
  if (options.action == FlashAction::kTest || options.device == FlashOptions().device) return "";
  return fmt::format(
      "--device {}: only --test has a device of this machine; a bitstream goes to its "
      "FPGA, or to that of a vta-server: --device tcp://host:port",
      options.device);
}

}  // namespace

bool parseFlashOptions(int argc, char** argv, FlashOptions& options, int& exit_code) {
  CLI::App app("Programs a board's FPGA and checks that what it loads is what answers.",
               kFlashTool);
  app.footer(kExamples);
  ActionFlags flags;
  addActions(app, options, flags);
  addWays(app, options);
  if (!parseCommandLine(app, kFlashTool, argc, argv, exit_code)) return false;
  const bool package = !options.package_dir.empty();
  const bool convert = !options.convert_file.empty();
  options.action = flags.info   ? FlashAction::kInfo
                   : flags.list ? FlashAction::kList
                   : flags.test ? FlashAction::kTest
                   : package    ? FlashAction::kPackage
                   : convert    ? FlashAction::kConvert
                                : FlashAction::kFlash;
  std::string problem = mistake(
      options, int{flags.info} + int{flags.list} + int{flags.test} + int{package} + int{convert});
  if (problem.empty()) problem = setServer(options);
  if (problem.empty()) return true;
  exit_code = reportUsage(kFlashTool, problem);
  return false;
}

}  // namespace vta::tools
