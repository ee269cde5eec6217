"""Language models in formats of their own: GGUF with each kind of weights, and llama2.c's, against NumPy."""

import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import ToolCase, tool  # noqa: E402
from decoder_files import TYPES, write_gguf, write_llama2c  # noqa: E402
from language_model import Reference, Sizes, Weights, save_decoder  # noqa: E402
from story_model import STORIES, STORY_TOKENIZER, story_weights, write_tokenizer  # noqa: E402

WORDS = 7
SMALL = Sizes(width=32, layers=2, heads=4, key_heads=2, hidden=64, words=40, positions=64)
LARGE = Sizes(width=256, layers=1, heads=4, key_heads=2, hidden=256, words=50, positions=64)  # blocks of 256


def exact(reference):
    """Scores that differ from those of a step by float32 alone."""
    return dict(rtol=2e-4, atol=2e-4 * np.abs(reference).max())


class DecoderFilesTest(ToolCase):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "model.gguf"

    def words(self, sizes):
        words = np.random.RandomState(3).randint(0, sizes.words, (WORDS, 1))
        path = self.folder / "words.npy"
        np.save(path, words.astype(np.int64))
        return path, words[:, 0]

    def check(self, model, weights, *options):
        """What `vta-run` computes behind each word is what NumPy does with the weights that the file means."""
        path, words = self.words(weights.sizes)
        folder = self.folder / "scores"
        for old in folder.glob("*"):
            old.unlink()
        self.succeed("vta-run", model, "--input", path, "--output", folder, "--context-length=16", *(options or ["--partition=cpu"]))
        files = sorted(folder.glob("*logits*.npy"), key=lambda file: int(file.name.split(".")[-3].rsplit("_", 1)[-1]))
        found = np.stack([np.load(file).reshape(-1) for file in files])
        reference = Reference(weights)
        expected = np.stack([reference.step(word) for word in words])
        self.assertEqual(found.shape, expected.shape)
        if options:
            self.assertLess(np.sum((found - expected)**2) / np.sum(expected**2), 0.05)
        else:
            np.testing.assert_allclose(found, expected, **exact(expected))

    def test_each_kind_of_weights(self):
        for kind in TYPES:
            with self.subTest(kind):
                weights = Weights(LARGE if kind.endswith("K") else SMALL)
                write_gguf(self.path, weights, kind)
                self.check(self.path, weights)

    def test_qwen2_turns_halves_and_has_biases(self):
        weights = Weights(SMALL)
        write_gguf(self.path, weights, architecture="qwen2")
        self.check(self.path, weights)
        bias = {f"blk.{layer}.attn_{part}.bias": np.zeros(SMALL.depth * heads, np.float32)
                for layer in range(SMALL.layers) for part, heads in (("q", 4), ("k", 2), ("v", 2))}
        write_gguf(self.path, weights, architecture="qwen2", more=bias)
        self.check(self.path, weights)
        bias["blk.1.attn_q.bias"] = bias["blk.1.attn_q.bias"] + 1
        write_gguf(self.path, weights, architecture="qwen2", more=bias)
        with self.assertRaises(AssertionError):
            self.check(self.path, weights)

    def test_the_embedding_is_the_head_where_there_is_none(self):
        weights = Weights(SMALL)
        weights.matrices["head"] = weights.embedding.T
        write_gguf(self.path, weights, "Q4_0", without=["output.weight"])
        weights.matrices["head"] = weights.embedding.T  # rounded
        self.check(self.path, weights)

    def test_positions_can_be_scaled(self):
        weights = Weights(SMALL)
        rate = 1.0 / 500 ** (np.arange(0, SMALL.depth, 2) / SMALL.depth) / 2
        divisors = np.linspace(1, 4, SMALL.depth // 2).astype(np.float32)
        angles = np.arange(SMALL.positions)[:, None] * (rate / divisors)[None]
        weights.cosines, weights.sines = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
        write_gguf(self.path, weights, more={"rope_freqs.weight": divisors}, fields={
            "llama.rope.freq_base": 500.0, "llama.rope.scaling.type": "linear", "llama.rope.scaling.factor": 2.0})
        self.check(self.path, weights)

    def test_each_version_of_llama2c(self):
        for version in (0, 1, 2):
            for shares in (False, True):
                with self.subTest(version=version, shares=shares):
                    weights = Weights(SMALL)
                    if shares:
                        weights.matrices["head"] = weights.embedding.T
                    path = self.folder / "model.bin"
                    write_llama2c(path, weights, version, shares_head=shares)
                    if shares:
                        weights.matrices["head"] = weights.embedding.T
                    self.check(path, weights)

    def test_integers_on_the_vta(self):
        calibration = self.folder / "calibration.npy"
        np.save(calibration, np.random.RandomState(4).randint(0, SMALL.words, (40, 1)).astype(np.int64))
        for kind in ("Q8_0", "Q4_0"):
            with self.subTest(kind):
                weights = Weights(SMALL)
                write_gguf(self.path, weights, kind)
                self.check(self.path, weights, "--sim=functional", "--verify", "--calibrate", calibration)

    def gguf_tokenizer(self, texts):
        """Fields for tokens with these texts."""
        kinds = [2, 3, 3] + [6] * 256 + [1] * (len(texts) - 259)
        return {"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": [text.replace(" ", "\u2581") for text in texts],
                "tokenizer.ggml.scores": [-float(i) for i in range(len(texts))], "tokenizer.ggml.token_type": kinds,
                "tokenizer.ggml.bos_token_id": 1, "tokenizer.ggml.eos_token_id": 2}

    def test_a_file_has_its_tokenizer_inside(self):
        tokenizer = self.folder / "tokenizer.bin"
        texts = write_tokenizer(tokenizer, ["ab", "the", " the"])
        weights = Weights(SMALL._replace(words=len(texts)))
        write_gguf(self.path, weights, fields=self.gguf_tokenizer(texts))
        options = ("--generate", "ab the", "--context-length=32", "--max-tokens=12", "--partition=cpu")
        inside = self.succeed("vta-run", self.path, *options)
        self.assertEqual(inside, self.succeed("vta-run", self.path, "--tokenizer", tokenizer, *options))
        # The same model as ONNX and as llama2.c's.
        save_decoder(self.folder / "model.onnx", weights.sizes, style="attention")
        write_llama2c(self.folder / "model.bin", weights)
        for name in ("model.onnx", "model.bin"):
            other = self.succeed("vta-run", self.folder / name, "--tokenizer", tokenizer, *options)
            self.assertEqual(inside.split("\n\n")[0], other.split("\n\n")[0], name)

    @unittest.skipUnless(STORIES.exists(), "needs the models of ../shared")
    def test_a_trained_model_writes_what_it_writes_as_onnx(self):
        weights = story_weights()
        write_gguf(self.path, weights)
        write_llama2c(self.folder / "stories.bin", weights)
        found = [self.succeed("vta-run", path, "--generate", "Once upon a time", "--tokenizer", STORY_TOKENIZER,
                              "--max-tokens=60", "--context-length=64", "--partition=cpu").split("\n\n")[0]
                 for path in (self.path, self.folder / "stories.bin")]
        self.assertEqual(found[0], found[1])
        self.assertTrue(found[0].startswith("Once upon a time, there was a"), found[0])

    def refused(self, says, *options, kind="F32", **how):
        write_gguf(self.path, Weights(SMALL), kind, **how)
        self.refuse("vta-compile", self.path, *(options or ["--context-length=16"]), "-o", self.folder / "m.so",
                    says=["model.gguf", *says])
        self.assertFalse((self.folder / "m.so").exists())

    def test_what_is_refused(self):
        one = np.zeros(SMALL.depth // 2, np.float32)
        for says, how in (
            (["architecture 'gemma'"], dict(fields={"general.architecture": "gemma"})),
            (["does not say its architecture"], dict(fields={"general.architecture": None})),
            (["no field 'llama.block_count'"], dict(fields={"llama.block_count": None})),
            (["'llama.block_count'", "not a number"], dict(fields={"llama.block_count": "two"})),
            (["0 layers"], dict(fields={"llama.block_count": 0})),
            (["3 heads of keys", "4 heads"], dict(fields={"llama.attention.head_count_kv": 3})),
            (["0 heads"], dict(fields={"llama.attention.head_count": 0})),
            (["blk.0.ffn_gate.weight", "[64, 32]", "[65, 32]"], dict(fields={"llama.feed_forward_length": 65})),
            (["blk.2."], dict(fields={"llama.block_count": 3})),
            (["blk.1.", "no place", "1 layers"], dict(fields={"llama.block_count": 1})),
            (["'llama.expert_count'", "is 4"], dict(fields={"llama.expert_count": 4})),
            (["'llama.rope.dimension_count'", "is 2"], dict(fields={"llama.rope.dimension_count": 2})),
            (["scaling 'yarn'"], dict(fields={"llama.rope.scaling.type": "yarn"})),
            (["'llama.rope.scaling.factor'", "is 0"],
             dict(fields={"llama.rope.scaling.type": "linear", "llama.rope.scaling.factor": 0.0})),
            (["'llama.rope.freq_base'", "is 0"], dict(fields={"llama.rope.freq_base": 0.0})),
            (["epsilon"], dict(fields={"llama.attention.layer_norm_rms_epsilon": -1.0})),
            (["rope_freqs.weight", "a divisor of 0"], dict(more={"rope_freqs.weight": one})),
            (["rope_freqs.weight", "needs 4"], dict(more={"rope_freqs.weight": np.ones(3, np.float32)})),
            (["token_embd.weight"], dict(without=["token_embd.weight"])),
            (["blk.1.attn_v.weight"], dict(without=["blk.1.attn_v.weight"])),
            (["blk.0.attn_q_norm.weight", "no place"], dict(more={"blk.0.attn_q_norm.weight": one})),
            (["blk.1.attn_q.bias", "no place"], dict(more={"blk.1.attn_q.bias": np.zeros(32, np.float32)}))):
            with self.subTest(says):
                self.refused(says, **how)
        self.refused(["--context-length", "256"], "--partition=cpu")

    def test_damaged_files(self):
        weights = Weights(SMALL)
        write_gguf(self.path, weights)
        whole = self.path.read_bytes()
        for size in (5, 8, 20, 60, 400, len(whole) // 2, len(whole) - 1):
            with self.subTest(size):
                self.path.write_bytes(whole[:size])
                self.refuse("vta-compile", self.path, "--context-length=16", "-o", self.folder / "m.so",
                            says=["model.gguf", "cut off or damaged"])
        write_llama2c(self.folder / "model.bin", weights, version=1)
        whole = (self.folder / "model.bin").read_bytes()
        for changed, says in ((whole[:-4], "a model of its sizes has"), (whole[:20], "cut off"),
                              (whole[:4] + b"\x09" + whole[5:], "version 9")):
            with self.subTest(says):
                (self.folder / "model.bin").write_bytes(changed)
                self.refuse("vta-compile", self.folder / "model.bin", "--context-length=16", "-o", self.folder / "m.so",
                            says=["model.bin", says])

    def test_longer_texts_than_in_training_are_told(self):
        write_gguf(self.path, Weights(SMALL))
        result = tool("vta-compile", self.path, "--context-length=65", "--partition=cpu", "-o", self.folder / "m.so")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("up to 64 tokens", result.stdout + result.stderr)

    def test_tokenizers_of_other_kinds(self):
        texts = write_tokenizer(self.folder / "tokenizer.bin")
        sizes = SMALL._replace(words=len(texts))
        good = self.gguf_tokenizer(texts)
        for says, changed in (
            (["kind 'bert'", "tokenizer.json"], {"tokenizer.ggml.model": "bert"}),
            (["no field 'tokenizer.ggml.pre'", "tokenizer.json"], {"tokenizer.ggml.model": "gpt2"}),
            (["no tokenizer"], {"tokenizer.ggml.model": None}),
            (["no tokens"], {"tokenizer.ggml.tokens": None}),
            (["scores"], {"tokenizer.ggml.scores": [1.0]}),
            (["names token 5000"], {"tokenizer.ggml.eos_token_id": 5000}),
            (["no token '<0x00>'"], {"tokenizer.ggml.token_type": [2, 3, 3, 3] + [6] * (len(texts) - 4)})):
            with self.subTest(says):
                write_gguf(self.path, Weights(sizes), fields={**good, **changed})
                self.refuse("vta-run", self.path, "--generate", "a", "--context-length=16", "--partition=cpu", says=says)


if __name__ == "__main__":
    unittest.main()
