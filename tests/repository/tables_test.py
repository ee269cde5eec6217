"""The manual's tables and the sources that they were made from.

Old tables are an error where nothing that was kept counts (scripts/test --all), elsewhere only a note: whoever changes a
source need not measure at once.
"""

import os
import sys
import unittest

from source_tree import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import benchmark_tables  # noqa: E402  (found through the line above)
import table_sources  # noqa: E402


class TablesTest(unittest.TestCase):
    def test_sources_of_tables_exist(self):
        lists = benchmark_tables.read_sources()
        found = [f"{table['name']}: no {path}" for table in benchmark_tables.read_tables()
                 for path in table_sources.missing_sources(table, lists, ROOT)]
        found += [f"list {name}: no {path}" for name, paths in lists.items() for path in paths if not (ROOT / path).exists()]
        self.assertEqual(found, [], "scripts/benchmarks.toml names sources that do not exist:\n" + "\n".join(found))

    def test_every_list_is_used(self):
        used = {entry for table in benchmark_tables.read_tables() for entry in table.get("depends", [table_sources.DEFAULT])}
        self.assertEqual(set(benchmark_tables.read_sources()) - used, set())

    def test_no_table_is_older_than_its_sources(self):
        old, _ = benchmark_tables.old_tables()
        benchmark_tables.print_old_tables()
        if os.environ.get("VTA_KEPT_RESULTS") == "ignore":
            self.assertEqual(old, [], "these tables are older than their sources; scripts/benchmarks TABLE makes one again")


if __name__ == "__main__":
    unittest.main()
