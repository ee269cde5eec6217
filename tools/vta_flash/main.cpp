// vta-flash: programs a board's FPGA, and checks that the right thing answers.
#include <fmt/format.h>

#include "driver/device_registry.h"
#include "driver/flash/board/installed.h"
#include "driver/self_test.h"
#include "tools/common/files.h"
#include "tools/common/main/run_tool.h"
#include "tools/common/output_paths.h"
#include "tools/common/print.h"
#include "tools/common/terminal.h"
#include "tools/vta_flash/flash_tool.h"
#include "tools/vta_flash/report.h"

namespace vta::tools {
namespace {

void show(const std::string& text, bool json) { json ? printRaw(text) : printText(text); }

Status checkFiles(const FlashOptions& options) {
  PathUse use;
  use.inputs = {{"the bitstream", options.bitstream}, {"--description", options.description}};
  use.outputs = {{"--convert", options.convert_file}};
  return checkPaths(use);
}

Status convert(const FlashOptions& options, const flash::BitstreamFile& file) {
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> image, managerImage(file.bitstream, file.data));
  return writeFile(options.convert_file, image);
}

Status packageFiles(const FlashOptions& options, const flash::BitstreamFile& file) {
  VTA_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                       writePackage(options.package_dir, file));
  for (const std::string& name : names) print("{}/{}\n", options.package_dir, name);
  return {};
}

Status flashAndReport(const FlashOptions& options, const flash::BitstreamFile& file) {
  VTA_ASSIGN_OR_RETURN(const flash::FlashReport report, flashFile(options, file));
  for (const std::string& warning : report.warnings) reportWarning(kFlashTool, warning);
  show(flashText(report, options.json), options.json);
  return {};
}

Status test(const FlashOptions& options) {
  VTA_ASSIGN_OR_RETURN(const driver::DeviceSpec spec, driver::parseDeviceSpec(options.device));
  VTA_ASSIGN_OR_RETURN(const HwConfig hw, options.hw_file.empty() ? driver::readConfiguration(spec)
                                                                  : loadHwConfig(options.hw_file));
  VTA_ASSIGN_OR_RETURN(const auto device, driver::createDevice(driver::withoutSelfTest(spec), hw));
  const driver::SelfTestReport report = driver::selfTest(*device);
  show(testText(hw, report, options.json), options.json);
  if (report.passed()) return {};
  return {StatusCode::kDeviceFault, fmt::format("the self test of {} failed", options.device)};
}

Status act(const FlashOptions& options) {
  if (options.action == FlashAction::kTest) return test(options);
  if (options.action == FlashAction::kList) {
    show(listText(listInstalled(flash::System(options.root)), options.json), options.json);
    return {};
  }
  VTA_RETURN_IF_ERROR(checkFiles(options));
  VTA_ASSIGN_OR_RETURN(const flash::BitstreamFile file, loadFile(options));
  switch (options.action) {
    case FlashAction::kInfo:
      show(infoText(file, options.json), options.json);
      return {};
    case FlashAction::kConvert:
      return convert(options, file);
    case FlashAction::kPackage:
      return packageFiles(options, file);
    default:
      return flashAndReport(options, file);
  }
}

}  // namespace
}  // namespace vta::tools

int main(int argc, char** argv) {
  using namespace vta::tools;
  return runTool<FlashOptions>(kFlashTool, argc, argv, parseFlashOptions, act);
}
