"""lit set-up for the compiler's tests: every .mlir file under tests/ with RUN lines.

Each built tool is a feature, so a test that needs vta-run besides vta-opt says `REQUIRES: vta-run`.
"""

import os

import lit.formats

TOOLS = ["vta-opt", "vta-translate", "vta-compile", "vta-run", "vta-objdump"]

config.name = "vta"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.join(config.vta_source_dir, "tests")
config.test_exec_root = os.path.join(config.vta_binary_dir, "tests", "lit")

bin_dir = os.path.join(config.vta_binary_dir, "bin")
config.environment["PATH"] = os.pathsep.join([bin_dir, config.llvm_tools_dir, os.environ["PATH"]])
config.substitutions.append(("%configs", os.path.join(config.vta_source_dir, "configs")))
config.substitutions.append(("%examples", os.path.join(config.vta_source_dir, "examples")))
config.available_features |= {tool for tool in TOOLS if os.path.exists(os.path.join(bin_dir, tool))}
