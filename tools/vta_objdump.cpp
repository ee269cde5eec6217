// vta-objdump: prints a program file, binary or assembler text, or a module.
#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/config/extension_folder.h"
#include "isa/config/hw_config.h"
#include "isa/program/program.h"
#include "isa/program/text/assembler.h"
#include "isa/program/verify/verifier.h"
#include "tools/common/command_line.h"
#include "tools/common/files.h"
#include "tools/common/main/run_tool.h"
#include "tools/common/names/choices.h"
#include "tools/common/output_paths.h"
#include "tools/common/print.h"
#include "tools/vta_objdump_gpu.h"
#include "tools/vta_objdump_image.h"
#include "tools/vta_objdump_module.h"
#include "tools/vta_objdump_print.h"

namespace {

using vta::HwConfig;
using vta::Program;
using vta::Result;
using vta::Status;

constexpr const char* kTool = "vta-objdump";

struct Options {
  std::string file;
  std::string hw_file;
  std::vector<std::string> extensions;
  bool json = false;
  bool assembler = false;
  bool verify = false;
  std::string compat;
  int program = -1;               // of a module; -1: the module itself
  std::string kernels;            // folder for the codes of a GPU program
  std::string image;              // file for the program as device memory
  std::vector<std::string> data;  // BUFFER=FILE
};

// The kinds of file: each is recognised by how it begins.
Result<Program> readProgram(const Options& options, std::span<const std::byte> bytes,
                            const HwConfig& hw) {
  const std::string_view view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto looksBinary = [&] { return view.find('\0') != std::string_view::npos; };
  Result<Program> program = [&]() -> Result<Program> {
    if (view.starts_with("VTAPROG")) {
      return vta::deserializeProgram(bytes, hw);
    }
    if (view.empty()) return vta::invalidArgument("the file is empty");
    if (looksBinary()) return vta::invalidArgument("neither a VTA program nor assembler text");
    return vta::assemble(view, options.file, hw);
  }();
  // Errors of the assembler have the file's name in their place already.
  if (program.ok() || program.status().message().starts_with(options.file)) return program;
  return program.status().withContext(options.file);
}

Status writeImage(const Options& options, const Program& program, const HwConfig& hw) {
  VTA_ASSIGN_OR_RETURN(const vta::tools::ProgramImage image,
                       vta::tools::makeProgramImage(program, hw, options.data));
  VTA_RETURN_IF_ERROR(vta::tools::writeFile(options.image, image.bytes));
  vta::tools::printText(vta::tools::describeImage(image, program, options.image));
  return {};
}

Status printProgram(const Options& options, const Program& program, const HwConfig& hw) {
  if (!options.image.empty()) {
    // Nothing is written of a program that is not legal.
    if (options.verify || !options.compat.empty()) {
      VTA_RETURN_IF_ERROR(
          vta::verifyProgramStatus(program, hw, {.compat_0_0_2 = !options.compat.empty()}));
    }
    return writeImage(options, program, hw);
  }
  if (options.json) {
    vta::tools::printRaw(vta::tools::programJson(program, hw)
                             .dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
                         "\n");
  } else if (options.assembler) {
    vta::tools::printRaw(vta::disassembleProgram(program, hw));
  } else {
    vta::tools::printText(vta::tools::programListing(program, hw));
  }
  if (!options.verify && options.compat.empty()) return {};
  return vta::verifyProgramStatus(program, hw, {.compat_0_0_2 = !options.compat.empty()});
}

// A program for a GPU has one form only.
Status printGpuProgram(const Options& options, const vta::ModuleView& module) {
  if (options.json || options.assembler || !options.image.empty() || !options.compat.empty()) {
    return vta::invalidArgument(fmt::format(
        "program {} is for a GPU; leave out the options of VTA programs", options.program));
  }
  VTA_ASSIGN_OR_RETURN(const std::string listing,
                       vta::tools::gpuProgramListing(module, options.program));
  vta::tools::printText(listing);
  if (options.kernels.empty()) return {};
  return vta::tools::writeGpuKernels(module, options.program, options.kernels);
}

// A module: the whole of it, or one of its programs.
Status printModule(const Options& options, std::span<const std::byte> file) {
  auto module = vta::viewModule(file);
  if (!module.ok()) return module.status().withContext(options.file);
  if (vta::tools::isGpuProgram(module->info, options.program)) {
    return printGpuProgram(options, *module);
  }
  if (!options.kernels.empty()) {
    return vta::invalidArgument("--kernels takes a program for a GPU; name one by --program");
  }
  if (options.program >= 0) {
    VTA_ASSIGN_OR_RETURN(const auto found, vta::moduleProgram(*module, options.program));
    return printProgram(options, found.program, found.hw);
  }
  if (options.json) {
    vta::tools::printRaw(vta::tools::moduleJson(*module));
  } else {
    vta::tools::printText(vta::tools::moduleListing(*module));
  }
  return {};
}

Status run(const Options& options) {
  vta::tools::PathUse use;
  use.inputs = {{"FILE", options.file}, {"--hw", options.hw_file}};
  for (const std::string& text : options.data) {
    use.inputs.push_back({"--data", vta::tools::pathOf(text)});
  }
  use.outputs = {{"--image", options.image}};
  use.output_folders = {{"--kernels", options.kernels}};
  if (!options.image.empty() || !options.kernels.empty())
    VTA_RETURN_IF_ERROR(vta::tools::checkPaths(use));
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, vta::readFile(options.file));
  if (vta::looksLikeModule(bytes)) {
    if (!options.image.empty() && options.program < 0) {
      return vta::invalidArgument("--image takes one program; name one of the module by --program");
    }
    return printModule(options, bytes);
  }
  if (options.program >= 0 || !options.kernels.empty()) {
    return vta::invalidArgument("--program is for modules; " + options.file + " is none");
  }
  HwConfig hw = HwConfig::makeDefault();
  if (!options.hw_file.empty()) {
    VTA_ASSIGN_OR_RETURN(hw, vta::loadHwConfig(options.hw_file));
  }
  VTA_ASSIGN_OR_RETURN(hw, vta::withExtensions(hw, options.extensions));
  VTA_ASSIGN_OR_RETURN(const Program program, readProgram(options, bytes, hw));
  return printProgram(options, program, hw);
}

bool parseOptions(int argc, char** argv, Options& options, int& exit_code) {
  CLI::App app(
      "Prints a VTA program (binary or assembler text: buffers, instructions, micro-ops) or a "
      "module\n"
      "(layers, memory map, its programs).\n"
      "Exit codes: 0 printed (and legal, when asked), 1 the work failed, 2 wrong usage.",
      kTool);
  app.footer(
      "\nExamples:\n"
      "  vta-objdump conv.vtaprog\n"
      "  vta-objdump conv.vtaprog --asm > conv.s\n"
      "  vta-objdump conv.s --hw configs/hw/vta-0.0.2.yaml --compat 0.0.2\n"
      "  vta-objdump model.vta.so\n"
      "  vta-objdump model.vta.so --program 3 --asm\n"
      "  vta-objdump conv.vtaprog --json | jq '.instructions[].text'\n"
      "  vta-objdump conv.s --image conv.img --data inp=x.bin --data wgt=w.bin\n"
      "      memory that vta-run --image runs");
  app.add_option("FILE", options.file, "Program or module to print")->required();
  app.add_option("--hw", options.hw_file,
                 "Hardware configuration the program was built for (default: that of "
                 "configs/hw/default.yaml)")
      ->type_name("FILE|NAME")
      ->transform(vta::tools::hardwareName());
  vta::tools::addExtensions(app, options.extensions);
  CLI::Option* json = app.add_flag("--json", options.json, "Print one JSON object");
  CLI::Option* assembler =
      app.add_flag("--asm", options.assembler, "Print assembler text, which reads back to the same")
          ->excludes(json);
  CLI::Option* image =
      app.add_option("--image", options.image,
                     "Write the program as device memory to this file, for vta-run --image")
          ->type_name("FILE")
          ->excludes(json)
          ->excludes(assembler);
  app.add_option("--data", options.data, "Contents of a buffer in the image; may be repeated")
      ->type_name("BUFFER=FILE")
      ->needs(image);
  app.add_flag("--verify", options.verify, "Also verify the program; findings fail");
  app.add_option("--compat", options.compat, "Also verify that published hardware runs it")
      ->check(vta::tools::OneOf({"0.0.2"}));
  app.add_option("--program", options.program, "Print this program of a module")
      ->check(vta::tools::wholeNumber(0, 1'000'000'000));
  app.add_option("--kernels", options.kernels,
                 "Also write the codes of a GPU program's kernels to files of this folder")
      ->type_name("DIR");
  return vta::tools::parseCommandLine(app, kTool, argc, argv, exit_code);
}

}  // namespace

int main(int argc, char** argv) {
  return vta::tools::runTool<Options>(kTool, argc, argv, parseOptions, run);
}
