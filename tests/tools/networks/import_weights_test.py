"""scripts/models/import_weights.py: decoders from files of llama2.c and llama.cpp."""

import json
import struct
import subprocess
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import ROOT, ToolCase  # noqa: E402
from language_model import Reference, Sizes, Weights  # noqa: E402
from gguf_file import from_q4_0, from_q8_0, read_gguf  # noqa: E402
from story_model import greedy, write_tokenizer  # noqa: E402
from weight_files import FileError, read_llama2c  # noqa: E402

SIZES = Sizes(width=64, layers=2, heads=4, key_heads=2, hidden=96, words=320, positions=64)
SCRIPT = ROOT / "scripts/models/import_weights.py"
F32, F16, Q4_0, Q8_0 = 0, 1, 2, 8


def with_pairs(matrix, heads):
    """Of [outputs, inputs]: what lies half a head apart in language_model lies side by side in files."""
    rows = matrix.reshape(heads, 2, -1, matrix.shape[1])
    return np.stack([rows[:, 0], rows[:, 1]], 2).reshape(matrix.shape)


def in_file(weights, layer, name):
    """A matrix as files have it: [outputs, inputs]."""
    matrix = weights.matrices[f"l{layer}.{name}"].T
    heads = {"q": weights.sizes.heads, "k": weights.sizes.key_heads}.get(name)
    return with_pairs(matrix, heads) if heads else matrix


def llama2c_file(weights, shares_head=False):
    sizes = weights.sizes
    layers = range(sizes.layers)
    every = lambda name: [in_file(weights, layer, name) for layer in layers]  # noqa: E731
    norms = lambda name: [weights.norms[f"l{layer}.{name}"] for layer in layers]  # noqa: E731
    arrays = [weights.embedding, *norms("before"), *every("q"), *every("k"), *every("v"), *every("o"), *norms("between"),
              *every("gate"), *every("down"), *every("up"), weights.norms["last"],
              np.zeros((2, sizes.positions, sizes.depth // 2))]
    if not shares_head:
        arrays.append(weights.matrices["head"].T)
    header = struct.pack("<7i", sizes.width, sizes.hidden, sizes.layers, sizes.heads, sizes.key_heads,
                         sizes.words if shares_head else -sizes.words, sizes.positions)
    return header + b"".join(np.ascontiguousarray(array, "<f4").tobytes() for array in arrays)


def blocks_of(array, kind):
    """Rows of floats as bytes of a type of GGUF."""
    if kind in (F32, F16):
        return np.ascontiguousarray(array, "<f4" if kind == F32 else "<f2").tobytes()
    blocks = np.ascontiguousarray(array, np.float32).reshape(-1, 32)
    most = 127 if kind == Q8_0 else 7
    scales = (np.abs(blocks).max(1, keepdims=True) / most).astype("<f2")
    integers = np.clip(np.round(blocks / scales.astype(np.float32)), -most - 1, most).astype(np.int8)
    if kind == Q4_0:
        halves = (integers + 8).astype(np.uint8)
        integers = (halves[:, :16] | halves[:, 16:] << 4).view(np.int8)
    return np.concatenate([scales.view(np.uint8).reshape(-1, 2), integers.view(np.uint8)], 1).tobytes()


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def metadata(values):
    """Values of Python as GGUF has them."""
    def typed(value):
        if isinstance(value, str):
            return 8, text(value)
        if isinstance(value, float):
            return 6, struct.pack("<f", value)
        if isinstance(value, list):
            kind = typed(value[0])[0]
            return 9, struct.pack("<IQ", kind, len(value)) + b"".join(typed(item)[1] for item in value)
        return 4, struct.pack("<I", value)

    result = b""
    for key, value in values.items():
        kind, data = typed(value)
        result += text(key) + struct.pack("<I", kind) + data
    return result


def gguf_file(weights, kind=F32, changes=None, names=None, alignment=32):
    """`changes` of metadata, None: without it; `names` of tensors that have others."""
    sizes = weights.sizes
    values = {"general.architecture": "llama", "general.alignment": alignment, "llama.embedding_length": sizes.width,
              "llama.block_count": sizes.layers, "llama.feed_forward_length": sizes.hidden,
              "llama.attention.head_count": sizes.heads, "llama.attention.head_count_kv": sizes.key_heads,
              "llama.context_length": sizes.positions, "llama.attention.layer_norm_rms_epsilon": float(weights.epsilon),
              "llama.rope.freq_base": 10000.0, **(changes or {})}
    values = {key: value for key, value in values.items() if value is not None}
    tensors = {"token_embd.weight": weights.embedding, "output_norm.weight": weights.norms["last"],
               "output.weight": weights.matrices["head"].T}
    file_names = {"q": "attn_q", "k": "attn_k", "v": "attn_v", "o": "attn_output", "gate": "ffn_gate", "up": "ffn_up",
                  "down": "ffn_down"}
    for layer in range(sizes.layers):
        for name, file_name in file_names.items():
            tensors[f"blk.{layer}.{file_name}.weight"] = in_file(weights, layer, name)
        tensors[f"blk.{layer}.attn_norm.weight"] = weights.norms[f"l{layer}.before"]
        tensors[f"blk.{layer}.ffn_norm.weight"] = weights.norms[f"l{layer}.between"]
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(values)) + metadata(values)
    data = b""
    for name, array in tensors.items():
        of_array = kind if array.ndim == 2 else F32
        head += text((names or {}).get(name, name)) + struct.pack("<I", array.ndim)
        head += b"".join(struct.pack("<Q", extent) for extent in array.shape[::-1])
        head += struct.pack("<IQ", of_array, len(data))
        data += blocks_of(array, of_array)
        data += bytes(-len(data) % alignment)
    return head + bytes(-len(head) % alignment) + data


class ImportWeightsTest(ToolCase):
    def setUp(self):
        super().setUp()
        self.weights = Weights(SIZES)

    def assert_same(self, found, bound=0.0):
        """Every array, within a share of its largest element."""
        self.assertEqual(found.sizes, SIZES)
        arrays = [(found.embedding, self.weights.embedding)]
        arrays += [(found.matrices[name], matrix) for name, matrix in self.weights.matrices.items()]
        arrays += [(found.norms[name], norm) for name, norm in self.weights.norms.items()]
        for array, expected in arrays:
            np.testing.assert_allclose(array, expected, rtol=0, atol=bound * np.abs(expected).max() + 1e-7 * (bound > 0))
        np.testing.assert_allclose(found.cosines, self.weights.cosines, atol=1e-6)

    def test_checkpoints_of_llama2c(self):
        self.assert_same(read_llama2c(llama2c_file(self.weights)))
        self.weights.matrices["head"] = self.weights.embedding.T
        self.assert_same(read_llama2c(llama2c_file(self.weights, shares_head=True)))

    def test_every_type_of_gguf(self):
        for kind, bound in ((F32, 0), (F16, 1e-3), (Q8_0, 5e-3), (Q4_0, 9e-2)):
            for alignment in (32, 64):
                with self.subTest(kind=kind, alignment=alignment):
                    self.assert_same(read_gguf(gguf_file(self.weights, kind, alignment=alignment)), bound)

    def test_blocks_are_as_llama_cpp_has_them(self):
        eight = np.frombuffer(struct.pack("<e32b", 0.5, *range(-16, 16)), np.uint8)[None]
        np.testing.assert_array_equal(from_q8_0(eight)[0], 0.5 * np.arange(-16, 16))
        four = np.frombuffer(struct.pack("<e16B", 2, *[0x80 + i for i in range(16)]), np.uint8)[None]
        np.testing.assert_array_equal(from_q4_0(four)[0], [2 * (i - 8) for i in range(16)] + [0] * 16)

    def test_heads_may_be_shared_and_other_numbers_be_given(self):
        self.weights.epsilon = 0.25
        names = {"output.weight": "unused.weight"}
        found = read_gguf(gguf_file(self.weights, changes={"llama.rope.freq_base": 500.0}, names=names))
        self.assertEqual(found.epsilon, 0.25)
        np.testing.assert_array_equal(found.matrices["head"], self.weights.embedding.T)
        self.assertLess(found.cosines[1, -1], self.weights.cosines[1, -1])

    def test_files_become_models_that_make_texts(self):
        tokenizer, model = self.folder / "tokenizer.bin", self.folder / "model.onnx"
        texts = write_tokenizer(tokenizer, ["ab"])
        pieces = {"tokenizer.ggml.model": "llama", "tokenizer.ggml.scores": [-float(i) for i in range(SIZES.words)],
                  "tokenizer.ggml.tokens": [piece.replace(" ", "▁") for piece in texts]}
        pieces["tokenizer.ggml.tokens"] += [f"unused{i}" for i in range(len(texts), SIZES.words)]
        for name, data in (("model.bin", llama2c_file(self.weights)), ("model.gguf", gguf_file(self.weights, changes=pieces))):
            with self.subTest(name):
                file, written = self.write(name, data), self.folder / "written.bin"
                options = ["--tokenizer", written] if name.endswith("gguf") else []
                output = subprocess.run([sys.executable, "-B", SCRIPT, file, model, *options], capture_output=True, text=True)
                self.assertEqual(output.returncode, 0, output.stderr)
                self.assertEqual(output.stdout, "2 layers of 64, 320 tokens, texts of up to 64\n")
                used = written if options else tokenizer
                known = SIZES.words if options else len(texts)
                tokens = greedy(Reference(self.weights), [1, 259, texts.index("ab")], 6, known)
                result = self.succeed("vta-run", model, "--generate", "ab", "--tokenizer", used, "--max-tokens=6",
                                      "--partition=cpu", "--context-length=16", "--prompt-chunk=4", "--json")
                self.assertEqual(json.loads(result)["texts"][0]["tokens"], tokens)

    def refuse_file(self, read, data, says):
        with self.assertRaises(FileError) as raised:
            read(data)
        self.assertIn(says, str(raised.exception))

    def test_checkpoints_that_cannot_be_read(self):
        whole = llama2c_file(self.weights)
        for data, says in ((whole[:20], "shorter than the header"), (whole[:-1], "it ends in 'classifier'"),
                           (whole[:5000], "it ends in 'token embedding'"), (b"24ka" + whole, "--version 0"),
                           (struct.pack("<7i", 64, 96, 2, 5, 2, 320, 64), "no decoder"),
                           (struct.pack("<7i", 64, 96, 2, 0, 2, 320, 64), "0 heads")):
            self.refuse_file(read_llama2c, data, says)

    def test_gguf_that_cannot_be_read(self):
        whole = gguf_file(self.weights)
        self.refuse_file(read_gguf, b"GGML" + whole[4:], "no GGUF file")
        self.refuse_file(read_gguf, b"GGUF" + struct.pack("<I", 1) + whole[8:], "of version 1")
        self.refuse_file(read_gguf, whole[:100], "cut off")
        self.refuse_file(read_gguf, whole[:-4096], "it ends in tensor")
        for changes, says in (({"general.architecture": "bert"}, "'bert'; supported is llama"),
                              ({"llama.block_count": None}, "'llama.block_count' is missing"),
                              ({"llama.block_count": 3}, "tensor 'blk.2.attn_q.weight' is missing"),
                              ({"llama.feed_forward_length": 95}, "has shape [96, 64], not [95, 64]"),
                              ({"llama.rope.dimension_count": 8}, "'llama.rope.dimension_count' is 8"),
                              ({"llama.rope.scaling.type": "linear"}, "'llama.rope.scaling.type' is not supported"),
                              ({"llama.attention.head_count": 5}, "no decoder"),
                              ({"tokenizer.ggml.model": "llama", "tokenizer.ggml.eos_token_id": 7},
                               "'tokenizer.ggml.eos_token_id' is 7; it has to be 2"),
                              ({"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": ["a"] * 320,
                                "tokenizer.ggml.scores": [0.0]}, "320 tokens with 1 scores")):
            with self.subTest(says):
                self.refuse_file(read_gguf, gguf_file(self.weights, changes=changes), says)
        aligned = [text("general.alignment") + struct.pack("<II", 4, alignment) for alignment in (32, 0)]
        self.refuse_file(read_gguf, whole.replace(*aligned), "aligned to 0")
        first_types = [struct.pack("<IQ", kind, 0) for kind in (F16, 12)]
        self.refuse_file(read_gguf, gguf_file(self.weights, F16).replace(*first_types), "has type 12")
        odd = Weights(Sizes(width=48, layers=1, heads=4, key_heads=2, hidden=64, words=320, positions=8))
        data = gguf_file(odd, F16).replace(struct.pack("<IQ", F16, 0), struct.pack("<IQ", Q8_0, 0))
        self.refuse_file(read_gguf, data, "no whole blocks of 32")

    def test_the_script_says_what_is_wrong(self):
        cut = self.write("cut.gguf", gguf_file(self.weights)[:50])
        whole = self.write("whole.bin", llama2c_file(self.weights))
        model = self.folder / "model.onnx"
        for arguments, says in (([cut, model], "cut.gguf: the file is cut off"),
                                ([self.folder / "none.bin", model], "none.bin"),
                                ([whole, model, "--tokenizer", self.folder / "t.bin"], "leave --tokenizer out")):
            result = subprocess.run([sys.executable, "-B", SCRIPT, *arguments], capture_output=True, text=True)
            self.assertEqual(result.returncode, 1)
            self.assertIn(says, result.stderr)
            self.assertNotIn("Traceback", result.stderr)


if __name__ == "__main__":
    unittest.main()
