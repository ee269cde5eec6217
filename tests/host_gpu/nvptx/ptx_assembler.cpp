#include "tests/host_gpu/nvptx/ptx_assembler.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>

#include "base/process/find_program.h"
#include "base/process/run_command.h"
#include "base/temporary_folder.h"

namespace vta::codegen::testing {

namespace fs = std::filesystem;

fs::path findPtxAssembler() {
  const fs::path found = findProgram("ptxas");
  if (!found.empty()) return found;
  const char* home = std::getenv("CUDA_HOME");
  const fs::path usual = fs::path(home == nullptr ? "/usr/local/cuda" : home) / "bin" / "ptxas";
  return fs::exists(usual) ? usual : fs::path();
}

int expectAssembles(const fs::path& assembler, const std::string& architecture,
                    const std::string& text) {
  SCOPED_TRACE(architecture + "\n" + text);
  const auto folder = TemporaryFolder::create("ptxas");
  EXPECT_TRUE(folder.ok());
  if (!folder.ok()) return 0;
  const fs::path source = folder->path() / "kernel.ptx";
  std::ofstream(source) << text;
  const auto result =
      runCommand(std::vector<std::string>{assembler, "-v", "--gpu-name=" + architecture, source,
                                          "-o", folder->path() / "out.cubin"},
                 {.merge_errors = true});
  EXPECT_TRUE(result.ok()) << result.status().message();
  if (!result.ok()) return 0;
  EXPECT_TRUE(result->end.ok()) << result->output;
  EXPECT_NE(result->output.find(" 0 bytes spill stores, 0 bytes spill loads"), std::string::npos)
      << result->output;
  std::smatch used;
  const std::regex registers("Used ([0-9]+) registers");
  const bool says_registers = std::regex_search(result->output, used, registers);
  EXPECT_TRUE(says_registers) << result->output;
  return says_registers ? std::stoi(used[1]) : 0;
}

}  // namespace vta::codegen::testing
