#include "tools/common/cli.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>

#include "tools/common/terminal.h"

namespace vta::tools {

bool parseCommandLine(CLI::App& app, const char* tool, int argc, char** argv, int& exit_code) {
  try {  // CLI11 reports everything by exceptions
    app.parse(argc, argv);
    return true;
  } catch (const CLI::Success& success) {
    exit_code = app.exit(success);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "{}: error: {}\nRun {} --help for the options.\n", tool, error.what(), tool);
    exit_code = kExitUsage;
  }
  return false;
}

void addCalibrationMethod(CLI::App& app, compiler::CalibrationMethod& method) {
  using Method = compiler::CalibrationMethod;
  const std::map<std::string, Method> names = {
      {"minmax", Method::kMinMax}, {"percentile", Method::kPercentile}, {"kl", Method::kKl}};
  app.add_option("--calibration-method", method,
                 "How ranges come from calibration: minmax, percentile (default), kl")
      ->transform(CLI::CheckedTransformer(names).description(""))
      ->type_name("NAME");
}

void addFloatLayers(CLI::App& app, std::set<std::string>& layers) {
  app.add_option("--float-layers", layers,
                 "Nodes of the model, by name, that stay in float on the CPU")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void addPartition(CLI::App& app, compiler::Partition& partition) {
  using compiler::Partition;
  const std::map<std::string, Partition> names = {{"auto", Partition::kAuto},
                                                  {"cpu", Partition::kCpu},
                                                  {"cpu-quantized", Partition::kCpuQuantized}};
  app.add_option("--partition", partition,
                 "auto (default): the VTA where it can; cpu: all on the CPU in float; "
                 "cpu-quantized: all on the CPU in the VTA's integers")
      ->transform(CLI::CheckedTransformer(names).description(""))
      ->type_name("NAME");
}

void addShapes(CLI::App& app, std::vector<std::string>& dimensions) {
  app.add_option("--shape", dimensions, "Binds a symbolic dimension; may be repeated")
      ->type_name("NAME=N")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

Status parseDimensions(const std::vector<std::string>& texts,
                       std::map<std::string, int64_t>& dimensions) {
  for (const std::string& text : texts) {
    const size_t equals = text.rfind('=');
    int64_t extent = 0;
    const char* end = text.data() + text.size();
    const bool has_name = equals != std::string::npos && equals > 0;
    const auto [rest, error] = has_name ? std::from_chars(text.data() + equals + 1, end, extent)
                                        : std::from_chars_result{end, std::errc::invalid_argument};
    if (error != std::errc() || rest != end || extent < 1) {
      return invalidArgument(
          fmt::format("--shape {}: write NAME=N with a whole number N of at least 1", text));
    }
    dimensions[text.substr(0, equals)] = extent;
  }
  return {};
}

}  // namespace vta::tools
