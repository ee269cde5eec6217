#include "tools/vta_flash/options.h"

#include "base/closest_name.h"
#include "driver/flash/format/fpga_dies.h"
#include "tools/common/command_line.h"
#include "tools/common/names/choices.h"

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
  app.add_option("--via", options.via,
                 "How to load: manager (sysfs), overlay (device tree), dfx (dfx-mgr), xrt, jtag "
                 "(openFPGALoader); default: what this machine has")
      ->check(OneOf({"auto", "manager", "overlay", "dfx", "xrt", "jtag"}))
      ->type_name("WAY");
  app.add_option("--die", options.die,
                 "The device's die, part or IDCODE; default: what the machine says")
      ->type_name("NAME")
      ->check(Offered([] { return namesOf(flash::fpgaDies(), &flash::FpgaDie::name); }));
  app.add_flag("--dev-mem", options.use_memory,
               "Use /dev/mem for clocks, port widths and registers that the kernel does not give; "
               "needs root");
  app.add_flag("--slower-clock", options.slower_clock,
               "Where the PLL cannot make the clock that the bitstream was timed for, take the "
               "nearest lower one");
  app.add_option("--card", options.card, "Which card, for --via xrt: 0000:03:00.1")
      ->type_name("ADDRESS");
  addRepeatable(app, "--jtag-option", options.jtag_options, "A word for openFPGALoader")
      ->type_name("WORD");
  app.add_option("--device", options.device, "What --test tests, as of vta-run")
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
  const std::string problem = mistake(
      options, int{flags.info} + int{flags.list} + int{flags.test} + int{package} + int{convert});
  if (problem.empty()) return true;
  exit_code = reportUsage(kFlashTool, problem);
  return false;
}

}  // namespace vta::tools
