"""A configuration parameter is a member of HwParams and a row of the table of parameters: what handles all parameters
names none of them, so that a new one needs no change there."""

import re
import unittest

from source_tree import ROOT

_TABLE = ROOT / "isa/spec/parameters.cpp"
_STRUCT = ROOT / "isa/spec/hw_params.h"

# What iterates over the table, and the members that it may name nevertheless, each with the reason.
_ITERATE = {
    "isa/config/hw_config_yaml.cpp": {"name"},  # the only text
    "isa/config/hw_schema.cpp": {"name"},
    "isa/config/random_params.cpp": {"name"},
    "isa/rtl/sv_config_check.cpp": {"name"},
    "isa/rtl/sv_package.cpp": {"name", "axi_data_width_bits"},  # AxiBytes follows from the width of the bus
    "sim/random/random_config.cpp": set(),
    "tools/vta_info.cpp": {"name"},
}


def members():
    """The members of HwParams."""
    return re.findall(r"^  (?:std::string|int|uint64_t|bool|ExtensionSet) (\w+)(?: =|;)", _STRUCT.read_text(), re.MULTILINE)


def keys():
    """The keys of the table."""
    return re.findall(r'\.key = "(\w+)"', _TABLE.read_text())


def named(text, words):
    """Which of `words` the text has as a word of code or as a whole text in quotes."""
    code = re.sub(r"//[^\n]*", "", text)
    return {word for word in words if re.search(rf'(?:\.|::|->){word}\b|"(?:\w+\.)?{word}"', code)}


class ParametersTest(unittest.TestCase):
    def test_tables_are_read(self):
        self.assertIn("axi_outstanding_bursts", members())
        self.assertIn("outstanding_bursts", keys())
        self.assertGreater(len(members()), 20)
        self.assertGreater(len(keys()), 20)

    def test_names_are_found(self):
        self.assertEqual(named('w.constant("x", p.batch);', {"batch", "block_in"}), {"batch"})
        self.assertEqual(named('read("gemm.batch"); read("batch")', {"batch"}), {"batch"})
        self.assertEqual(named("// p.batch\nint batches;", {"batch"}), set())

    def test_what_handles_all_parameters_names_none(self):
        for path, allowed in _ITERATE.items():
            text = (ROOT / path).read_text()
            self.assertEqual(named(text, set(members()) | set(keys())) - allowed, set(), path)


if __name__ == "__main__":
    unittest.main()
