#include "tools/common/operators_option.h"

#include "module/operators/operator_libraries.h"
#include "tools/common/command_line.h"

namespace vta::tools {

void addOperators(CLI::App& app, std::vector<std::string>& files) {
  const CLI::Validator load([](std::string& file) { return loadOperatorLibrary(file).message(); },
                            "");
  addRepeatable(app, "--operators", files,
                "A shared library with operators of your own, which the CPU computes; native code: "
                "load only what you trust; may be repeated")
      ->type_name("FILE.so")
      ->check(load);
}

}  // namespace vta::tools
