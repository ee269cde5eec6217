"""Which folder may include which: the dependency rule of docs and CONTRIBUTING.md, checked on every #include."""

import re
import unittest
from pathlib import Path

from source_tree import source_files, text_of

_EXTERNAL_COMPILER = ("mlir/", "mlir-c/", "llvm/", "llvm-c/", "lld/", "onnx/", "google/protobuf/")

# The longest prefix of a file's path decides. Values: the prefixes of our own that it may include.
_MAY_INCLUDE = {
    "isa/": ("isa/",),
    "sim/": ("isa/", "sim/"),
    "driver/": ("isa/", "driver/"),
    "driver/devices/": ("isa/", "driver/", "sim/"),
    "compiler/kernel/": ("isa/", "compiler/kernel/"),
    "compiler/tune/": ("isa/", "compiler/kernel/", "compiler/tune/", "driver/"),
    "compiler/": ("isa/", "compiler/", "host_cpu/", "host_gpu/"),
    # The meaning of the graph dialect, and the threads that host code runs on.
    "host_cpu/": ("isa/", "compiler/dialects/", "compiler/codegen/graph_to_linalg/graph_to_linalg.h",
                  "base/thread_pool.h", "host_cpu/"),
    "host_gpu/": ("isa/", "compiler/dialects/", "host_gpu/"),
}
# What is compiled for a board, or stands below the graph half, uses no compiler framework.
_FREE_OF_COMPILERS = ("isa/", "sim/", "driver/", "compiler/kernel/", "compiler/tune/")
_OUR_FOLDERS = ("isa/", "sim/", "driver/", "compiler/", "host_cpu/", "host_gpu/", "tools/", "tests/")

_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def violations(path, text):
    """Messages for every #include in `text` that a file at `path` may not have."""
    layer = max((prefix for prefix in _MAY_INCLUDE if path.startswith(prefix)), key=len, default=None)
    found = []
    for quote, target in _INCLUDE.findall(text):
        if path.startswith(_FREE_OF_COMPILERS) and target.startswith(_EXTERNAL_COMPILER):
            found.append(f"{path}: includes {target}; {layer} is free of LLVM, MLIR, ONNX and protobuf")
        if quote == "<" or target.startswith(_EXTERNAL_COMPILER):
            continue
        if not target.startswith(_OUR_FOLDERS):
            found.append(f"{path}: includes \"{target}\"; write our includes from the repository's root")
        elif layer and not target.startswith(_MAY_INCLUDE[layer]):
            found.append(f"{path}: includes {target}; {layer} may use only {', '.join(_MAY_INCLUDE[layer])}")
    return found


class LayeringTest(unittest.TestCase):
    def assert_rejected(self, path, include, reason):
        found = violations(path, include)
        self.assertEqual(len(found), 1, found)
        self.assertIn(reason, found[0])

    def test_rule_rejects_what_it_should(self):
        self.assert_rejected("isa/a.cpp", '#include "sim/a.h"', "may use only isa/")
        self.assert_rejected("sim/functional/a.cpp", '#include "driver/device.h"', "may use only")
        self.assert_rejected("driver/runtime/a.cpp", '#include "sim/functional/a.h"', "may use only")
        self.assert_rejected("driver/runtime/a.cpp", '#  include <llvm/ADT/x.h>', "free of LLVM")
        self.assert_rejected("compiler/kernel/a.cpp", '#include "mlir/IR/x.h"', "free of LLVM")
        self.assert_rejected("compiler/kernel/a.cpp", '#include "compiler/compile.h"', "may use only")
        self.assert_rejected("compiler/a.cpp", '#include "driver/device.h"', "may use only")
        self.assert_rejected("tools/a.cpp", '#include "helpers.h"', "from the repository's root")

    def test_rule_accepts_what_it_should(self):
        self.assertEqual(violations("driver/devices/a.cpp", '#include "sim/functional/a.h"\n#include <map>'), [])
        self.assertEqual(violations("compiler/a.cpp", '#include "mlir/IR/x.h"\n#include "program/program.h"'), [])
        self.assertEqual(violations("tools/a.cpp", '#include "driver/device.h"\n#include "compiler/compile.h"'), [])

    def test_tree_keeps_the_rule(self):
        files = [path for path in source_files(".h", ".cpp", ".td", ".inc") if path.parts[0] != "tests"]
        self.assertGreater(len(files), 10)
        found = [message for path in files for message in violations(path.as_posix(), text_of(path))]
        self.assertEqual(found, [], "\n" + "\n".join(found))


if __name__ == "__main__":
    unittest.main()
