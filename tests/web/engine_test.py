"""The engine of the page, under Node, counts the cycles that the SDK counts on the host, and those of vta-run."""

import re
import subprocess
import unittest

from web_build import BINARY_DIR, ENGINE, MODULE, ROOT, OutlineFolder, engine_answers, host_answers, missing, networks

_BAD_TEXTS = ["gemm: {block_im: 3}", "gemm: {block_in: 3}", "gemm: 3", "clock_mhz: fast", "- a", "gemm: {}\ngemm: {}",
              "isa: {extensions: [qmull]}", "isa: {extensions: qmul}", "buffers: {inp_buf_bytes: 3XiB}", "", "a: b"]


def _configurations():
    files = sorted((ROOT / "configs/hw").glob("*.yaml"))
    texts = [file.read_text() for file in files]
    keys = [answer["outline"] for answer in host_answers([{"ask": "hardware", "yaml": text} for text in texts])]
    return list(zip(files, texts, keys))


def _requests(folder, names, memories):
    """Every network on every shipped configuration that it has an outline for."""
    requests = []
    for name in names:
        for _, text, key in _configurations():
            file = folder.file(name, key)
            if file is None:
                continue
            requests.append({"ask": "network", "file": file})
            requests += [{"ask": "estimate", "yaml": text, "memory": memory} for memory in memories]
    return requests


class EngineTest(unittest.TestCase):
    def setUp(self):
        reason = missing(ENGINE, MODULE)
        if reason:
            self.skipTest(reason)

    def assert_equal_answers(self, requests):
        found, expected = engine_answers(requests), host_answers(requests)
        self.assertEqual(len(found), len(requests))
        for request, engine, host in zip(requests, found, expected):
            self.assertEqual(engine, host, request)

    def test_describes_the_same(self):
        self.assert_equal_answers([{"ask": "describe"}])

    def test_shipped_configurations_are_read_alike(self):
        files = sorted((ROOT / "configs").glob("**/hw/*.yaml"))
        self.assert_equal_answers([{"ask": "hardware", "yaml": file.read_text()} for file in files])

    def test_errors_of_readers_are_the_same(self):
        self.assert_equal_answers([{"ask": "hardware", "yaml": text} for text in _BAD_TEXTS])

    def test_broken_yaml_has_its_place(self):
        texts = ["gemm: {block_in: 32\nclock_mhz: 1\n", "a: b: c", "a: 1\n---\nb: 2\n"]
        for answer in engine_answers([{"ask": "hardware", "yaml": text} for text in texts]):
            self.assertRegex(answer["error"], r"^hardware\.yaml:\d+:\d+: ")

    def test_programs_take_the_same_steps(self):
        requests = [{"ask": "example", "yaml": yaml, "virtual_threads": threads}
                    for threads in (1, 2) for yaml in ("{}", "buffers: {acc_buf_bytes: 128}")]
        self.assert_equal_answers(requests)
        programs = [answer["assembler"] for answer in host_answers(requests) if "assembler" in answer]
        self.assertEqual(len(programs), 2)
        self.assert_equal_answers([{"ask": "steps", "yaml": "{}", "memory": memory, "assembler": text}
                                   for text in (*programs, "finish\nbegin", "finish pop_next") for memory in ("simple", "DDR3-1066")])

    def test_cycles_of_every_network_and_configuration(self):
        with OutlineFolder() as folder:
            requests = _requests(folder, networks(), ["simple"])
            self.assertGreater(len(requests), 200)
            self.assert_equal_answers(requests)

    def test_cycles_of_memories(self):
        with OutlineFolder() as folder:
            memories = ["DDR3-1066", *(file.read_text() for file in sorted((ROOT / "configs/memory").glob("[ds]*.yaml"))
                                       if file.stem != "ddr-presets")]
            self.assert_equal_answers(_requests(folder, ["digits"], memories))

    def test_cycles_of_simulated_schedules_are_those_of_vta_run(self):
        model = ROOT / "examples/digits/digits.onnx"
        with OutlineFolder() as folder:
            for file, text, key in _configurations():
                outline = folder.file("digits", key)
                if outline is None:
                    continue
                run = subprocess.run([BINARY_DIR / "bin" / "vta-run", model, "--sim=cycle", "--timing-only", "--hw", file,
                                      "--tuned=none", "--no-chains"], capture_output=True, text=True, check=True)
                cycles = int(re.search(r"(?m)^([\d,]+) cycles on the VTA", run.stdout)[1].replace(",", ""))
                _, answer = engine_answers([{"ask": "network", "file": outline},
                                            {"ask": "estimate", "yaml": text, "memory": "simple", "effort": "simulated"}])
                self.assertEqual(answer["cycles"], cycles, file.name)


if __name__ == "__main__":
    unittest.main()
