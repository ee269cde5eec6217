"""vta.torch: modules of PyTorch, exported, compiled and run."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ["VTA_BINARY_DIR"])
sys.path.insert(0, str(BUILD / "python"))
os.environ.setdefault("VTA_COMPILE", str(BUILD / "bin/vta-compile"))

try:
    import torch
except ImportError:
    torch = None
if torch is not None:
    from torch import nn

    import vta
    import vta.torch as vt


def network(seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(16, 16, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 8 * 8, 10))


def batches(count, *shape):
    torch.manual_seed(7)
    return [torch.randn(*shape) for _ in range(count)]


@unittest.skipUnless(torch, "PyTorch is not installed; `scripts/setup torch` installs it")
class TorchTest(unittest.TestCase):
    def refused(self, *says, call):
        with self.assertRaises(vta.Error) as caught:
            call()
        for text in says:
            self.assertIn(text, str(caught.exception))

    def test_a_network_runs_on_the_vta_with_the_cycles_of_its_simulator(self):
        model, examples = network(), batches(8, 1, 3, 16, 16)
        model.train()
        compiled = vt.compile(model, examples, device="cycle")
        self.assertTrue(model.training)
        self.assertEqual(compiled.module.hardware, "default")
        model.eval()
        for x in examples:
            y, expected = compiled(x), model(x)
            self.assertEqual((y.shape, y.dtype), (expected.shape, expected.dtype))
            self.assertLess(float((y - expected).abs().max()), 0.05 * float(expected.abs().max()))
        self.assertGreater(compiled.session.cycles, 0)
        self.assertIn("Sequential.onnx", repr(compiled))

    def test_partition_cpu_computes_in_float(self):
        model, (x,) = network(1).eval(), batches(1, 2, 3, 16, 16)
        compiled = vt.compile(model, x, partition="cpu")
        self.assertEqual(compiled.module.hardware, "")
        self.assertTrue(torch.allclose(compiled(x), model(x), rtol=1e-4, atol=1e-4))

    def test_several_inputs_and_results_keep_their_form(self):
        class Pair(nn.Module):
            def forward(self, x, unused, y):
                return {"sum": x + y, "parts": (x * y, [x - y])}

        x, y = batches(2, 2, 3)
        compiled = vt.compile(Pair(), (x, torch.zeros(1), y), partition="cpu")
        found = compiled(x, torch.ones(1), y)
        self.assertEqual(list(found), ["sum", "parts"])
        self.assertIsInstance(found["parts"], tuple)
        self.assertTrue(torch.equal(found["sum"], x + y))
        self.assertTrue(torch.equal(found["parts"][0], x * y))
        self.assertTrue(torch.equal(found["parts"][1][0], x - y))
        self.refused("2 inputs for a module that takes 3", call=lambda: compiled(x, y))

    def test_shapes_other_than_the_example_s_are_refused(self):
        compiled = vt.compile(nn.ReLU(), torch.zeros(2, 3), partition="cpu")
        self.refused("x0", call=lambda: compiled(torch.zeros(3, 3)))

    def test_the_file_of_the_module_may_stay(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = Path(folder.name) / "relu.vta.so"
        vt.compile(nn.ReLU(), torch.zeros(2, 3), output=file, partition="cpu")
        self.assertEqual(vta.Module(str(file)).model, "ReLU.onnx")

    def test_mistakes_are_named(self):
        self.refused("takes a torch.nn.Module", "function", call=lambda: vt.compile(lambda x: x, torch.zeros(1)))
        self.refused("needs an example", call=lambda: vt.compile(nn.ReLU(), []))
        self.refused("an example has a ndarray", call=lambda: vt.compile(nn.ReLU(), torch.zeros(1).numpy()))
        self.refused("examples of different shapes: (1,) and (2,)",
                     call=lambda: vt.compile(nn.ReLU(), [torch.zeros(1), torch.zeros(2)]))
        self.refused("nothing.yaml", call=lambda: vt.compile(nn.ReLU(), torch.zeros(1), hw="nothing.yaml"))

        class Text(nn.Module):
            def forward(self, x):
                return "text"

        self.refused("returns a str", call=lambda: vt.compile(Text(), torch.zeros(1)))

        class Inverse(nn.Module):
            def forward(self, x):
                return torch.linalg.inv(x)

        self.refused("cannot export Inverse as ONNX", call=lambda: vt.compile(Inverse(), torch.eye(2)))


if __name__ == "__main__":
    unittest.main()
