"""Which folder may include which: the dependency rule of CONTRIBUTING.md, checked on every #include.

Usage: layering_test.py [--update]
  --update  writes the rule's table into CONTRIBUTING.md
"""

import re
import sys
import textwrap
import unittest
from collections import Counter

from source_tree import ROOT, source_files, text_of

sys.path.insert(0, str(ROOT / "scripts/testing"))
import include_graph  # noqa: E402  (found through the line above)

_EXTERNAL_COMPILER = ("mlir/", "mlir-c/", "llvm/", "llvm-c/", "lld/", "onnx/", "google/protobuf/")

# The longest prefix of a file's path decides. Values: the prefixes of our own that it may include. The layers of
# scripts/testing/include_graph.py say more: here stands what must not be mixed although the layers would allow it.
_MAY_INCLUDE = {
    "base/": ("base/",),
    "isa/": ("base/", "isa/"),
    "module/": ("base/", "isa/", "module/"),
    "sim/": ("base/", "isa/", "sim/"),
    "driver/": ("base/", "isa/", "module/", "driver/"),
    "driver/devices/": ("base/", "isa/", "driver/", "sim/"),
    "compiler/kernel/": ("base/", "isa/", "compiler/kernel/"),
    "compiler/tile/": ("base/", "isa/", "compiler/kernel/", "compiler/tile/"),
    "compiler/": ("base/", "isa/", "module/", "compiler/"),
    "compiler/codegen/": ("base/", "isa/", "module/", "compiler/common/", "compiler/dialects/",
                          "compiler/codegen/", "compiler/launch/neighbour_linker.h"),
    "host_cpu/": ("base/", "isa/spec/", "module/", "compiler/common/", "compiler/dialects/", "compiler/codegen/", "host_cpu/"),
    "host_cpu/schedule/": ("base/", "compiler/codegen/llvm/cpu_traits.h", "host_cpu/schedule/"),
    "host_cpu/runtime/": ("base/", "module/", "driver/runtime/", "host_cpu/runtime/"),
    "host_gpu/": ("base/", "module/", "compiler/common/", "compiler/dialects/", "compiler/codegen/",
                  "compiler/module/linker.h", "host_gpu/"),
    "host_gpu/schedule/": ("base/", "host_gpu/schedule/"),
    "host_gpu/runtime/": ("base/", "module/", "driver/gpu/", "driver/runtime/", "host_gpu/runtime/"),
    "api/": ("base/", "isa/", "module/", "driver/", "api/"),
    "api/python/tile/": ("base/", "isa/", "sim/", "driver/", "compiler/kernel/", "compiler/tile/", "api/python/tile/"),
    "explore/workers/": ("base/", "explore/workers/"),
    "explore/tune/": ("base/", "isa/", "sim/", "driver/device.h", "driver/loader.h", "compiler/kernel/",
                      "host_cpu/schedule/", "host_gpu/schedule/", "explore/workers/", "explore/tune/"),
    "explore/tune/gpu/": ("base/", "module/", "driver/gpu/", "driver/memory_device.h", "host_gpu/schedule/",
                          "explore/tune/"),
    "explore/sweep/": ("base/", "isa/", "module/", "sim/", "driver/", "compiler/compile.h",
                       "compiler/module/module_outline.h", "compiler/launch/", "compiler/kernel/", "explore/"),
    "web/": ("base/", "isa/", "module/", "sim/", "compiler/module/module_outline.h", "compiler/kernel/",
             "explore/tune/task/", "explore/sweep/", "web/"),
}
# What is compiled for a board, or stands below the graph half, uses no compiler framework.
_FREE_OF_COMPILERS = ("base/", "isa/", "module/", "sim/", "driver/", "api/", "compiler/kernel/", "compiler/tile/",
                      "compiler/launch/", "compiler/codegen/llvm/cpu_traits.h", "host_cpu/schedule/", "host_cpu/runtime/", "host_gpu/schedule/",
                      "host_gpu/runtime/", "explore/", "web/")
_OUR_FOLDERS = ("base/", "isa/", "module/", "sim/", "driver/", "api/", "compiler/", "host_cpu/", "host_gpu/", "explore/",
                "tools/", "tests/", "web/")

_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)

# A folder with more files than this is a drawer: it wants folders of its own.
_MAX_FILES_IN_FOLDER = 22
_SOURCES = (".h", ".cpp", ".td", ".sv", ".in")


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


_PAGE = ROOT / "CONTRIBUTING.md"
_BEGIN, _END = "<!-- begin layers -->\n", "<!-- end layers -->"


def names_of(prefixes):
    return ", ".join(f"`{prefix.rstrip('/')}`" for prefix in prefixes)


def table_text():
    """The tables above, for people."""
    lines = ["| folder | may include, beside itself |", "|---|---|"]
    for folder, targets in _MAY_INCLUDE.items():
        others = [target for target in targets if target != folder]
        lines.append(f"| {names_of([folder])} | {names_of(others) or 'nothing of ours'} |")
    lines.append("| any other one, such as `tools` and `tests` | everything |")
    free = f"These include no header of LLVM, MLIR, ONNX or protobuf: {names_of(_FREE_OF_COMPILERS)}."
    return "\n".join(lines + ["", textwrap.fill(free, 120, break_on_hyphens=False)]) + "\n"


def page_with(page, table):
    """The text of CONTRIBUTING.md with `table` at its place."""
    head, rest = page.split(_BEGIN)
    return f"{head}{_BEGIN}{table}{_END}{rest.split(_END)[1]}"


class LayeringTest(unittest.TestCase):
    def test_contributing_has_the_table(self):
        page = _PAGE.read_text()
        self.assertEqual(page, page_with(page, table_text()), f"write it: /usr/bin/python3 -B {__file__} --update")

    def test_folders_of_the_tables_exist(self):
        named = {path for folder, targets in _MAY_INCLUDE.items() for path in (folder, *targets)}
        named |= {*_FREE_OF_COMPILERS, *_OUR_FOLDERS}
        self.assertEqual([path for path in sorted(named) if not (ROOT / path).exists()], [])

    def assert_rejected(self, path, include, reason):
        found = violations(path, include)
        self.assertEqual(len(found), 1, found)
        self.assertIn(reason, found[0])

    def test_rule_rejects_what_it_should(self):
        self.assert_rejected("isa/a.cpp", '#include "sim/a.h"', "may use only base/, isa/")
        self.assert_rejected("sim/functional/a.cpp", '#include "driver/device.h"', "may use only")
        self.assert_rejected("driver/runtime/a.cpp", '#include "sim/functional/a.h"', "may use only")
        self.assert_rejected("driver/runtime/a.cpp", '#  include <llvm/ADT/x.h>', "free of LLVM")
        self.assert_rejected("compiler/kernel/a.cpp", '#include "mlir/IR/x.h"', "free of LLVM")
        self.assert_rejected("compiler/kernel/a.cpp", '#include "compiler/compile.h"', "may use only")
        self.assert_rejected("compiler/a.cpp", '#include "driver/device.h"', "may use only")
        self.assert_rejected("host_cpu/backend/a.cpp", '#include "compiler/vta/passes.h"', "may use only")
        self.assert_rejected("tools/a.cpp", '#include "helpers.h"', "from the repository's root")

    def test_rule_accepts_what_it_should(self):
        self.assertEqual(violations("driver/devices/a.cpp", '#include "sim/functional/a.h"\n#include <map>'), [])
        self.assertEqual(violations("compiler/a.cpp", '#include "mlir/IR/x.h"\n#include "isa/program.h"'), [])
        self.assertEqual(violations("tools/a.cpp", '#include "driver/device.h"\n#include "compiler/compile.h"'), [])

    def test_tree_keeps_the_rule(self):
        files = [path for path in source_files(".h", ".cpp", ".td", ".inc") if path.parts[0] != "tests"]
        self.assertGreater(len(files), 10)
        found = [message for path in files for message in violations(path.as_posix(), text_of(path))]
        self.assertEqual(found, [], "\n" + "\n".join(found))


class FolderTest(unittest.TestCase):
    """The second level of the tree: layers of folders, no cycle, no drawer."""

    def test_what_goes_up(self):
        self.assertTrue(include_graph.goes_up("base", "module"))
        self.assertTrue(include_graph.goes_up("compiler/kernel/plan", "compiler/kernel/emit"))
        self.assertTrue(include_graph.goes_up("tools/vta_run", "tools/vta_translate"))
        self.assertFalse(include_graph.goes_up("module", "base"))
        self.assertFalse(include_graph.goes_up("compiler/kernel", "compiler/kernel/emit"))
        self.assertFalse(include_graph.goes_up("tools/vta_run", "tools/common"))

    def test_layers_exist(self):
        sources = {parent.as_posix() for path in source_files(*_SOURCES) for parent in path.parents}
        self.assertEqual([folder for folder in include_graph.LAYERS if folder not in sources], [],
                         "LAYERS in scripts/testing/include_graph.py names folders without sources")

    def test_arrows_of_a_file(self):
        text = '#include "isa/config/a.h"\n#include <map>\n#include "base/b.h"\n#include "generated.h"\n'
        self.assertEqual(include_graph.includes_of("base/x.h", text), [("base", "isa/config")])

    def test_no_folder_includes_one_above_it(self):
        arrows = include_graph.read_arrows(include_graph.tracked_sources())
        self.assertGreater(len(arrows), 50)
        unknown = {folder for arrow in arrows for folder in arrow if include_graph.layer_of(folder) is None}
        self.assertEqual(unknown, set(), "add these folders to LAYERS in scripts/testing/include_graph.py")
        found = [f"{source} includes {target}, which stands above it (scripts/testing/include_graph.py {source} lists them)"
                 for source, target in sorted(arrows) if include_graph.goes_up(source, target)]
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_no_two_folders_include_each_other(self):
        self.assertEqual(include_graph.pairs_both_ways({("a", "b"): 1, ("b", "a"): 2, ("a", "c"): 1}), [("a", "b")])
        pairs = include_graph.pairs_both_ways(include_graph.read_arrows(include_graph.tracked_sources()))
        self.assertEqual(pairs, [])

    def test_no_folder_is_a_drawer(self):
        sizes = Counter(path.parent.as_posix() for path in source_files(*_SOURCES) if path.parts[0] != "tests")
        found = [f"{folder}: {count} source files; folders below it would name what they are about"
                 for folder, count in sizes.items() if count > _MAX_FILES_IN_FOLDER]
        self.assertEqual(found, [], "\n" + "\n".join(found))


if __name__ == "__main__":
    if "--update" in sys.argv:
        _PAGE.write_text(page_with(_PAGE.read_text(), table_text()))
    else:
        unittest.main()
