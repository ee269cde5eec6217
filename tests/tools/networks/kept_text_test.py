"""Language models whose caches the module keeps: a text is read word by word, by each kind of export."""

import sys
import unittest
from pathlib import Path

import numpy as np
import onnx

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import ToolCase, tool  # noqa: E402
from language_model import STYLES, Reference, Sizes, Weights, Decoder, save_decoder  # noqa: E402

WORDS = 9
SMALL = Sizes(width=32, layers=2, heads=4, key_heads=2, hidden=48, words=40)


class KeptTextTest(ToolCase):
    def words(self, count, seed=3, name="words.npy"):
        words = np.random.RandomState(seed).randint(0, SMALL.words, (count, 1))
        path = self.folder / name
        np.save(path, words.astype(np.int64))
        return path, words[:, 0]

    def scores(self, model, words, *options):
        """The scores behind each word."""
        folder = self.folder / "scores"
        for path in folder.glob("*"):
            path.unlink()
        self.succeed("vta-run", model, "--input", words, "--output", folder, *options)
        count = len(np.load(words))
        files = sorted(folder.glob("*.npy"), key=lambda path: int(path.name.split(".")[-3].rsplit("_", 1)[-1]))
        self.assertEqual(len(files), count, files)
        return np.stack([np.load(path).reshape(-1) for path in files])

    def expected(self, weights, words):
        reference = Reference(weights)
        return np.stack([reference.step(word) for word in words])

    def test_a_text_is_read_as_with_growing_caches(self):
        path, words = self.words(WORDS)
        for style in STYLES:
            for sizes in (SMALL, SMALL._replace(key_heads=4, layers=1)):
                with self.subTest(style=style, sizes=sizes):
                    model = self.folder / "model.onnx"
                    expected = self.expected(save_decoder(model, sizes, style=style), words)
                    found = self.scores(model, path, f"--context-length={WORDS}", "--partition=cpu")
                    np.testing.assert_allclose(found, expected, rtol=2e-4, atol=2e-4)
                    # Rows behind those that are valid do not count.
                    found = self.scores(model, path, "--context-length=64", "--partition=cpu")
                    np.testing.assert_allclose(found, expected, rtol=2e-4, atol=2e-4)

    def test_words_of_a_chunk_are_read_as_one_by_one(self):
        """Several words in a run, and fewer at the end of a text."""
        words = np.random.RandomState(3).randint(0, SMALL.words, 12)
        path = self.folder / "chunks.npy"
        np.save(path, words.reshape(4, 3).astype(np.int64))
        for style in STYLES:
            for rows in (3, "sequence_length"):
                with self.subTest(style=style, rows=rows):
                    model = self.folder / "model.onnx"
                    weights = save_decoder(model, SMALL, style=style, rows=rows)
                    expected = self.expected(weights, words).reshape(4, -1)
                    for capacity in (12, 40):
                        found = self.scores(model, path, f"--context-length={capacity}", "--prompt-chunk=3",
                                            "--partition=cpu")
                        np.testing.assert_allclose(found, expected, rtol=2e-4, atol=2e-4)

    def test_models_without_a_mask_read_chunks(self):
        words = np.random.RandomState(4).randint(0, SMALL.words, 8)
        path, model, weights = self.folder / "chunks.npy", self.folder / "model.onnx", Weights(SMALL)
        np.save(path, words.reshape(2, 4).astype(np.int64))
        Decoder(weights, "past", "rows", has_mask=False).build().save(model)
        found = self.scores(model, path, "--context-length=20", "--prompt-chunk=4", "--partition=cpu")
        np.testing.assert_allclose(found, self.expected(weights, words).reshape(2, -1), rtol=2e-4, atol=2e-4)

    def test_integers_of_chunks_are_calibrated_and_verified(self):
        words = np.random.RandomState(3).randint(0, SMALL.words, 12)
        path, model = self.folder / "chunks.npy", self.folder / "model.onnx"
        np.save(path, words.reshape(3, 4).astype(np.int64))
        calibration, _ = self.words(40, seed=4, name="calibration.npy")
        short, _ = self.words(2, seed=4, name="short.npy")
        for style in STYLES:
            expected = self.expected(save_decoder(model, SMALL, style=style, rows="rows"), words).reshape(3, -1)
            for options, most in ((("--calibrate", calibration), 0.05), (("--calibrate", short), 0.5), ((), 0.5)):
                with self.subTest(style=style, options=options):
                    found = self.scores(model, path, "--context-length=16", "--prompt-chunk=4", "--sim=functional",
                                        "--verify", *options)
                    self.assertLess(np.sum((found - expected) ** 2) / np.sum(expected**2), most)

    def test_the_last_word_of_a_run_is_scored_alone(self):
        words = np.random.RandomState(3).randint(0, SMALL.words, 12)
        path, model, module = self.folder / "chunks.npy", self.folder / "model.onnx", self.folder / "model.vta.so"
        np.save(path, words.reshape(4, 3).astype(np.int64))
        for style in STYLES:
            weights = save_decoder(model, SMALL, style=style, rows="rows")
            expected = self.expected(weights, words)[2::3]
            for options in (["--partition=cpu"], []):
                with self.subTest(style=style, options=options):
                    self.succeed("vta-compile", model, "--context-length=12", "--prompt-chunk=3", "--last-scores", *options,
                                 "-o", module)
                    found = self.scores(module, path)
                    self.assertEqual(found.shape, expected.shape)
                    most = 1e-6 if options else 0.5
                    self.assertLess(np.sum((found - expected) ** 2) / np.sum(expected**2), most)

    def test_scores_whose_product_is_not_found(self):
        words = np.random.RandomState(3).randint(0, SMALL.words, 4)
        path, model, module = self.folder / "chunks.npy", self.folder / "model.onnx", self.folder / "model.vta.so"
        np.save(path, words.reshape(2, 2).astype(np.int64))
        weights = save_decoder(model, SMALL, rows="rows")
        proto = onnx.load(model)
        last = next(node for node in proto.graph.node if node.output[0] == "logits")
        last.op_type = "Sigmoid"
        onnx.save(proto, model)
        result = tool("vta-compile", model, "--context-length=8", "--prompt-chunk=2", "--last-scores", "--partition=cpu", "-o",
                      module)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("warning: all words of a run are scored, not the last one alone", result.stderr)
        expected = 1 / (1 + np.exp(-self.expected(weights, words)))
        np.testing.assert_allclose(self.scores(module, path), expected.reshape(2, -1), rtol=2e-4, atol=2e-4)
        self.refuse("vta-compile", model, "--context-length=8", "--last-scores", code=2,
                    says=["--last-scores needs --prompt-chunk"])

    def test_models_of_one_word_read_no_chunks(self):
        model = self.folder / "model.onnx"
        save_decoder(model, SMALL)
        self.refuse("vta-run", model, "--context-length=8", "--prompt-chunk=4",
                    says=["--prompt-chunk=4: input 'input_ids' is for 1 words", "symbolic length"])
        self.refuse("vta-compile", model, "--prompt-chunk=4", says=["--prompt-chunk=4 needs --context-length"])
        self.refuse("vta-compile", model, "--prompt-chunk=0", code=2, says=["--prompt-chunk"])
        module = self.folder / "model.vta.so"
        self.succeed("vta-compile", model, "--context-length=4", "--partition=cpu", "-o", module)
        self.refuse("vta-run", module, "--prompt-chunk=8", says=["--prompt-chunk", "compiled already"])

    def test_integers_on_the_vta_come_close_and_are_verified(self):
        path, words = self.words(WORDS)
        calibration, _ = self.words(40, seed=4, name="calibration.npy")
        for style in STYLES:
            for hw in ("default", "vta-0.0.2"):
                with self.subTest(style=style, hw=hw):
                    model = self.folder / "model.onnx"
                    expected = self.expected(save_decoder(model, SMALL, style=style), words)
                    found = self.scores(model, path, "--context-length=16", f"--hw={hw}", "--sim=functional", "--verify",
                                        "--calibrate", calibration)
                    error = np.sum((found - expected) ** 2) / np.sum(expected**2)
                    self.assertLess(error, 0.05 if hw == "default" else 0.2)

    def test_a_compiled_module_keeps_its_text(self):
        path, words = self.words(WORDS)
        model, module = self.folder / "model.onnx", self.folder / "model.vta.so"
        weights = save_decoder(model, SMALL)
        self.succeed("vta-compile", model, "--context-length=12", "--partition=cpu", "-o", module)
        np.testing.assert_allclose(self.scores(module, path), self.expected(weights, words), rtol=2e-4, atol=2e-4)

    def test_models_without_a_mask_get_one(self):
        path, words = self.words(WORDS)
        model = self.folder / "model.onnx"
        weights = Weights(SMALL)
        Decoder(weights, "past", has_mask=False).build().save(model)
        found = self.scores(model, path, "--context-length=20", "--partition=cpu")
        np.testing.assert_allclose(found, self.expected(weights, words), rtol=2e-4, atol=2e-4)

    def test_names_of_caches_do_not_matter(self):
        path, words = self.words(WORDS)
        for style in STYLES:
            with self.subTest(style):
                model = self.folder / "model.onnx"
                weights = save_decoder(model, SMALL, style=style)
                proto = onnx.load(model)
                names = {port.name: f"x{i}" for i, port in enumerate([*proto.graph.input, *proto.graph.output])
                         if port.name.startswith(("past", "present"))}
                self.assertEqual(len(names), 8)
                for port in [*proto.graph.input, *proto.graph.output]:
                    port.name = names.get(port.name, port.name)
                for node in proto.graph.node:
                    for ports in (node.input, node.output):
                        ports[:] = [names.get(name, name) for name in ports]
                onnx.save(proto, model)
                found = self.scores(model, path, "--context-length=16", "--partition=cpu")
                np.testing.assert_allclose(found, self.expected(weights, words), rtol=2e-4, atol=2e-4)

    def test_texts_that_are_too_long_are_refused(self):
        path, _ = self.words(5)
        model = self.folder / "model.onnx"
        save_decoder(model, SMALL)
        self.refuse("vta-run", model, "--input", path, "--context-length=4", "--partition=cpu",
                    says=["the text has 4 words", "--context-length"])

    def test_random_words_stand_in_for_data(self):
        model = self.folder / "model.onnx"
        save_decoder(model, SMALL)
        report = self.run_json(model, "--context-length=16", "--verify")
        self.assertGreater(report["totals"]["macs_on_vta"], 0)

    def test_caches_of_a_fixed_size(self):
        path, words = self.words(4)
        model = self.folder / "model.onnx"
        weights = save_decoder(model, SMALL, past=7)
        found = self.scores(model, path, "--context-length=8", "--partition=cpu")
        np.testing.assert_allclose(found, self.expected(weights, words), rtol=2e-4, atol=2e-4)
        self.refuse("vta-run", model, "--context-length=9", says=["has 7 rows", "--context-length=8"])

    def test_models_without_caches_are_refused(self):
        x = onnx.helper.make_node("Relu", ["x"], ["y"])
        path = self.model([x], [("x", [1, 4])], [("y", [1, 4])])
        self.refuse("vta-run", path, "--context-length=8", says=["no caches of keys and values", "leave the option out"])
        self.refuse("vta-compile", path, "--context-length=1", code=2, says=["--context-length"])

    def test_the_option_is_for_models(self):
        model, module = self.folder / "model.onnx", self.folder / "model.vta.so"
        save_decoder(model, SMALL, style="attention")
        self.succeed("vta-compile", model, "--context-length=4", "--partition=cpu", "-o", module)
        self.refuse("vta-run", module, "--context-length=8", says=["--context-length", "compiled already"])

    def test_masks_and_positions_of_other_forms_are_refused(self):
        for name, shape in (("attention_mask", [1, 1, 1, 4]), ("position_ids", [1, 1, 1])):
            with self.subTest(name):
                model = self.folder / "model.onnx"
                save_decoder(model, SMALL)
                proto = onnx.load(model)
                port = next(port for port in proto.graph.input if port.name == name)
                port.CopyFrom(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.INT64, shape))
                onnx.save(proto, model)
                self.refuse("vta-run", model, "--context-length=8", says=[f"input '{name}' has {len(shape)} dimensions"])

    def test_models_without_positions_are_told(self):
        model = self.folder / "model.onnx"
        save_decoder(model, SMALL)
        proto = onnx.load(model)
        port = next(port for port in proto.graph.input if port.name == "position_ids")
        proto.graph.input.remove(port)
        proto.graph.initializer.append(onnx.numpy_helper.from_array(np.zeros((1, 1), np.int64), "position_ids"))
        onnx.save(proto, model)
        result = tool("vta-run", model, "--context-length=8", "--partition=cpu")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("warning: the model has no input 'position_ids'", result.stderr)

    def test_new_rows_in_front_are_refused(self):
        model = self.folder / "model.onnx"
        save_decoder(model, SMALL)
        proto = onnx.load(model)
        join = next(node for node in proto.graph.node if node.output[0] == "present.0.key")
        join.input[:] = reversed(join.input)
        onnx.save(proto, model)
        self.refuse("vta-run", model, "--context-length=8", says=["'present.0.key' has new rows in front"])


if __name__ == "__main__":
    unittest.main()
