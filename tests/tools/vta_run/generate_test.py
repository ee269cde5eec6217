"""Texts of language models: vta-run --generate."""

import json
import re
import sys
import unittest
from pathlib import Path

import numpy as np
import onnx

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import ROOT, ToolCase, tool  # noqa: E402
from language_model import STYLES, Decoder, Reference, Sizes, Weights, save_decoder  # noqa: E402
from story_model import (STORIES, STORY_TOKENIZER, greedy, read_tokenizer, story_weights, text_of,  # noqa: E402
                         write_tokenizer)

SIZES = Sizes(width=32, layers=1, heads=4, key_heads=2, hidden=48, words=300)
FLOAT = ("--partition=cpu", "--context-length=32")
TAIL = re.compile(r"\n\n(\d+) tokens of the prompt, (\d+) behind it; (.*)\n")


def shown(data):
    """Bytes of a text as the tools print them: what a terminal does not show is written as \\xNN."""
    text = data.decode("utf-8", "backslashreplace")
    return "".join(letter if letter in "\t\n" or letter.isprintable() else
                   "".join(f"\\x{byte:02x}" for byte in letter.encode()) for letter in text)


class GenerateTest(ToolCase):
    def setUp(self):
        super().setUp()
        self.tokenizer = self.folder / "tokenizer.bin"
        self.texts = write_tokenizer(self.tokenizer, ["ab", "the", " the"])
        self.path = self.folder / "model.onnx"

    def generate(self, prompt, *options, model=None, tokenizer=None):
        """The text, prompt included, and the rest of what is printed."""
        output = self.succeed("vta-run", model or self.path, "--generate", prompt, "--tokenizer",
                              tokenizer or self.tokenizer, *options)
        match = TAIL.search(output)
        self.assertIsNotNone(match, output)
        return output[:match.start()], output[match.start():]

    def test_the_likeliest_tokens_are_those_of_the_reference(self):
        for style in STYLES:
            with self.subTest(style):
                weights = save_decoder(self.path, SIZES, style=style)
                prompt = [1, 259, self.texts.index("a"), self.texts.index("z")]
                tokens = greedy(Reference(weights), prompt, 12, len(self.texts))
                text, rest = self.generate("az", "--max-tokens=12", *FLOAT)
                self.assertEqual(text, "az" + shown(text_of(self.texts, tokens)))
                self.assertIn(f"4 tokens of the prompt, {len(tokens)} behind it", rest)

    def test_prompts_are_read_in_chunks(self):
        """Chunks that the prompt fills, that it does not, and one that it fits into."""
        prompt = [1, 259, *(self.texts.index(letter) for letter in "zebra")]
        for style in STYLES:
            weights = save_decoder(self.path, SIZES, style=style, rows="rows")
            tokens = greedy(Reference(weights), prompt, 12, len(self.texts))
            for chunk in (2, 7, 32):
                with self.subTest(style=style, chunk=chunk):
                    text, rest = self.generate("zebra", "--max-tokens=12", f"--prompt-chunk={chunk}", *FLOAT)
                    self.assertEqual(text, "zebra" + shown(text_of(self.texts, tokens)))
                    self.assertIn(f"7 tokens of the prompt, {len(tokens)} behind it", rest)

    def test_guesses_make_the_same_text(self):
        save_decoder(self.path, SIZES, rows="rows")
        module = self.folder / "model.vta.so"
        self.succeed("vta-compile", self.path, "--context-length=40", "--prompt-chunk=5", "--partition=cpu", "-o", module)
        for sampling in ((), ("--temperature=0.7", "--top-k=4", "--seed=3")):
            with self.subTest(sampling):
                options = ("--max-tokens=24", *sampling)
                text, _ = self.generate("ab", *options, model=module)
                found, rest = self.generate("ab", *options, "--speculate=4", model=module)
                self.assertEqual(found, text)
                if "guesses" in rest:
                    self.assertRegex(rest, r"\d\.\d\d tokens a run: \d+ of \d+ guesses were right")
        self.refuse("vta-run", module, "--generate", "ab", "--tokenizer", self.tokenizer, "--speculate=5",
                    says=["a run of the module reads 5 tokens", "--prompt-chunk=6"])

    def test_guesses_of_another_model_make_the_same_text(self):
        save_decoder(self.path, SIZES, rows="rows")
        draft, other = self.folder / "draft.vta.so", self.folder / "no_text.vta.so"
        self.succeed("vta-compile", self.path, "--context-length=40", "-o", draft)
        options = ("--sim", "--max-tokens=16", "--context-length=40", "--schedules=estimated")
        text, _ = self.generate("ab", *options)
        found, rest = self.generate("ab", *options, "--speculate=3", "--draft", draft)
        self.assertEqual(found, text)
        right, all_guesses = re.search(r"(\d+) of (\d+) guesses were right", rest).groups()
        self.assertGreater(int(right), int(all_guesses) / 2, "the same weights say nearly the same")
        common = (self.path, "--generate", "ab", "--tokenizer", self.tokenizer, *options)
        self.refuse("vta-run", *common, "--draft", draft, code=2, says=["--draft needs --speculate"])
        self.refuse("vta-run", *common, "--speculate=2", "--draft", self.path, says=["--draft", "no module"])
        self.succeed("vta-compile", ROOT / "examples/digits/digits.onnx", "--partition=cpu", "-o", other)
        self.refuse("vta-run", *common, "--speculate=2", "--draft", other, says=["--draft", "--context-length"])

    def test_modules_that_score_the_last_word_make_the_same_text(self):
        save_decoder(self.path, SIZES, rows="rows")
        module, text = self.folder / "model.vta.so", self.write("text.txt", "zebra")
        options = ("--context-length=32", "--prompt-chunk=4", "--partition=cpu")
        self.succeed("vta-compile", self.path, *options, "--last-scores", "-o", module)
        self.assertEqual(self.generate("zebra", "--max-tokens=9", model=module)[0],
                         self.generate("zebra", "--max-tokens=9", *FLOAT)[0])
        calls = [self.succeed("vta-run", model, "--perplexity", text, "--tokenizer", self.tokenizer, *more)
                 for model, more in ((module, ()), (self.path, options))]
        self.assertEqual(*calls)
        self.refuse("vta-run", module, "--generate", "ab", "--tokenizer", self.tokenizer, "--speculate=3",
                    says=["scores the last token of a run alone", "without --last-scores"])

    def test_runs_of_several_sizes_have_one_set_of_weights(self):
        """The same integers, so the same text, and constants that are there once."""
        text = self.write("text.txt", "the zebra ate the hay")
        for style in STYLES:
            save_decoder(self.path, SIZES, style=style, rows="rows")
            surprises, texts, constants = [], [], []
            for chunks in ("1", "4", "12,5", "2,1,3"):
                with self.subTest(style=style, chunks=chunks):
                    module = self.folder / f"chunks{chunks.replace(',', '_')}.vta.so"
                    self.succeed("vta-compile", self.path, "--context-length=40", f"--prompt-chunk={chunks}",
                                 "--schedules=estimated", "-o", module)
                    info = json.loads(self.succeed("vta-objdump", "--json", module))
                    sizes = [bucket["context"]["capacity"] - 39 for bucket in [info, *info["buckets"]]]
                    self.assertEqual(sizes, sorted({1, *map(int, chunks.split(","))}, reverse=True))
                    places = {(tensor["name"], tensor["offset_bytes"]) for tensor in info["tensors"]
                              if info["spaces"][tensor["space"]]["name"] == "device_constant"}
                    constants.append({name for name, _ in places})
                    self.assertEqual(len(places), len(constants[-1]), sorted(places))
                    listing = self.succeed("vta-objdump", module)
                    self.assertEqual(listing.count("\nbucket "), len(sizes) - 1)
                    common = (module, "--tokenizer", self.tokenizer, "--sim=functional", "--json")
                    found = json.loads(self.succeed("vta-run", *common, "--perplexity", text))
                    surprises.append(found["perplexity"]["perplexity"])
                    found = json.loads(self.succeed("vta-run", *common, "--generate", "zebra", "--max-tokens=20",
                                                    "--verify"))
                    texts.append(found["texts"][0]["text"])
                    self.assertGreater(found["verified_layers"], 0)
            self.assertEqual(len(set(texts)), 1, texts)
            np.testing.assert_allclose(surprises, surprises[0], rtol=1e-5)
            # A run of one word may leave layers to the CPU that larger ones do not.
            self.assertLessEqual(constants[0], constants[1])
            self.assertEqual(constants[1:], [constants[1]] * 3)

    def test_wrong_sizes_of_runs(self):
        save_decoder(self.path, SIZES, rows="rows")
        for chunks in ("4,0", "4;2", "-3", "5000"):
            self.refuse("vta-compile", self.path, "--context-length=40", f"--prompt-chunk={chunks}", code=2,
                        says=["--prompt-chunk"])
        self.refuse("vta-compile", self.path, "--context-length=40", "--prompt-chunk=64,8",
                    says=["--prompt-chunk=64: a text has 40 words"])
        self.refuse("vta-compile", self.path, "--prompt-chunk=4,2", says=["--prompt-chunk=4 needs --context-length"])

    def test_models_of_a_fixed_number_of_words_say_that_others_are_missing(self):
        save_decoder(self.path, SIZES, rows=3)
        module = self.folder / "model.vta.so"
        result = tool("vta-compile", self.path, "--context-length=32", "--prompt-chunk=3", "--partition=cpu", "-o", module)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("warning: there are no runs of 1 word: ", result.stderr)
        self.generate("zebra", "--max-tokens=4", model=module)

    def test_chunks_take_less_of_the_accelerator(self):
        save_decoder(self.path, SIZES, rows="rows")
        options = ("--sim", "--max-tokens=2", "--context-length=40", "--schedules=estimated")
        milliseconds = []
        for chunk in (1, 8):
            _, rest = self.generate("z" * 30, *options, f"--prompt-chunk={chunk}")
            milliseconds.append(float(re.search(r"([\d.]+) ms to the first token", rest).group(1)))
        self.assertLess(3 * milliseconds[1], milliseconds[0])

    def test_a_module_with_chunks_ends_at_its_capacity(self):
        save_decoder(self.path, SIZES, rows="rows")
        options = ("--context-length=8", "--partition=cpu")
        chunks, rest = self.generate("ab", "--prompt-chunk=4", *options)
        self.assertIn("3 tokens of the prompt, 6 behind it; the module keeps no longer text: it has read 8 tokens, "
                      "all but the last", rest)
        self.assertEqual(chunks, self.generate("ab", *options)[0])

    def test_seeds_choose_texts(self):
        save_decoder(self.path, SIZES)
        options = ("--max-tokens=8", "--temperature=1", "--top-k=50", "--top-p=0.95", *FLOAT)
        first, _ = self.generate("ab", *options, "--seed=5")
        self.assertEqual(first, self.generate("ab", *options, "--seed=5")[0])
        self.assertNotEqual(first, self.generate("ab", *options, "--seed=6")[0])

    def test_a_module_makes_the_same_text_and_ends_at_its_capacity(self):
        save_decoder(self.path, SIZES)
        module = self.folder / "model.vta.so"
        self.succeed("vta-compile", self.path, "--context-length=8", "--partition=cpu", "-o", module)
        text, rest = self.generate("ab", model=module)
        # The last token need not be read.
        self.assertIn("3 tokens of the prompt, 6 behind it; the module keeps no longer text: it has read 8 tokens, "
                      "all but the last", rest)
        self.assertEqual(text, self.generate("ab", "--partition=cpu", "--context-length=8")[0])

    def test_the_accelerator_s_time_is_told(self):
        save_decoder(self.path, SIZES)
        _, rest = self.generate("ab", "--sim", "--max-tokens=4", "--context-length=16", "--schedules=estimated",
                                "--verify")
        self.assertRegex(rest, r"verified: [1-9]\d* layers on the VTA equal their references bit for bit\n$")
        self.assertRegex(rest, r"accelerator at 100 MHz: [\d.]+ ms to the first token, then [\d.]+ tokens/s "
                               r"\(\d+ cycles and \d+ bytes a token\)")
        self.assertNotIn("accelerator", self.generate("ab", "--max-tokens=1", *FLOAT)[1])

    def test_stops_end_a_text(self):
        weights = Weights(SIZES)
        weights.matrices["head"][:, :259] = 0  # the text consists of letters
        Decoder(weights, "past").build().save(self.path)
        text, _ = self.generate("ab", "--max-tokens=10", *FLOAT)
        stop = text[5:7]
        found, rest = self.generate("ab", "--max-tokens=10", "--stop", stop, *FLOAT)
        self.assertEqual(found, text[:text.index(stop, 2)])
        self.assertIn("a stop followed", rest)

    def test_prompts_and_files_that_do_not_fit_are_refused(self):
        save_decoder(self.path, SIZES)

        def refuse(*arguments, says, code=1):
            self.refuse("vta-run", *arguments, says=says, code=code)

        text = ("--tokenizer", self.tokenizer, *FLOAT)
        refuse(self.path, "--generate", "a" * 40, *text, says=["42 tokens, and the module has room for 32"])
        whole = self.tokenizer.read_bytes()
        cut = self.write("cut.bin", whole[:-1])
        refuse(self.path, "--generate", "a", "--tokenizer", cut, *FLOAT, says=["cut.bin", "cut off"])
        refuse(self.path, "--generate", "a", "--tokenizer", "nowhere.json", *FLOAT, says=["nowhere.json"])
        broken = self.write("tokenizer.json", '{"model": ')
        refuse(self.path, "--generate", "a", "--tokenizer", broken, *FLOAT, says=["tokenizer.json"])
        write_tokenizer(self.folder / "large.bin", [f"x{i}" for i in range(40)])
        refuse(self.path, "--generate", "a", "--tokenizer", self.folder / "large.bin", *FLOAT,
               says=["model.onnx' with --tokenizer", "large.bin': the tokenizer has 326 tokens and the model scores 300"])

    def test_calibration_with_a_text_says_what_is_wanted(self):
        save_decoder(self.path, SIZES)
        text = self.write("good.txt", "once upon a time")
        self.refuse("vta-run", self.path, "--generate", "a", "--tokenizer", self.tokenizer, "--calibrate", text,
                    says=["good.txt", "an image cannot become 1x1 int64; give an array (.npy) with the numbers of tokens"])

    def test_models_that_make_no_text_are_refused(self):
        node = onnx.helper.make_node("Relu", ["x"], ["y"])
        path = self.model([node], [("x", [1, 4])], [("y", [1, 4])])
        self.refuse("vta-run", path, "--generate", "a", "--tokenizer", self.tokenizer, says=["no caches"])
        module = self.folder / "relu.vta.so"
        self.succeed("vta-compile", path, "--partition=cpu", "-o", module)
        self.refuse("vta-run", module, "--generate", "a", "--tokenizer", self.tokenizer, says=["--context-length"])

    def test_perplexity_is_that_of_the_reference(self):
        weights = save_decoder(self.path, SIZES)
        tokens = [1, 259, *(self.texts.index(letter) for letter in "zebra")]
        reference, surprise = Reference(weights), []
        for token, following in zip(tokens, tokens[1:]):
            scores = reference.step(token)[:len(self.texts)]
            surprise.append(np.log(np.exp(scores).sum()) - scores[following])
        text = self.write("text.txt", "zebra")
        options = ("--perplexity", text, "--tokenizer", self.tokenizer, "--partition=cpu")
        output = self.succeed("vta-run", self.path, *options)
        found = re.fullmatch(r"perplexity ([\d.]+) over 6 tokens\n", output)
        self.assertIsNotNone(found, output)
        self.assertAlmostEqual(float(found.group(1)) / np.exp(np.mean(surprise)), 1, places=3)
        save_decoder(self.path, SIZES, rows="rows")
        for chunk in (4, 6):
            self.assertEqual(output, self.succeed("vta-run", self.path, *options, f"--prompt-chunk={chunk}"))
        self.assertIn("over 4 tokens, the first of 6; --context-length takes more",
                      self.succeed("vta-run", self.path, *options, "--context-length=4"))
        empty = self.write("empty.txt", "")
        self.refuse("vta-run", self.path, "--perplexity", empty, "--tokenizer", self.tokenizer, "--partition=cpu",
                    says=["empty.txt': a text of 1 tokens"])

    def test_several_prompts_are_texts_of_their_own(self):
        save_decoder(self.path, SIZES, rows="rows")
        options = ("--max-tokens=5", "--temperature=1", *FLOAT)
        for prompts in (("ab", "z", ""), ("z", "z")):
            calls = [part for prompt in prompts for part in ("--generate", prompt)]
            output = self.succeed("vta-run", self.path, *calls, "--tokenizer", self.tokenizer, *options)
            texts = [self.generate(prompt, *options)[0] for prompt in prompts]
            self.assertEqual([TAIL.split(part)[0] for part in re.split(r"this machine: .*\n\n?", output)][:-1], texts)
        self.refuse("vta-run", self.path, "--generate", "ab", "--generate", "a" * 40, "--tokenizer", self.tokenizer,
                    *options, says=["'" + "a" * 40 + "': the prompt has 42 tokens"])

    def test_json_has_all_of_the_text(self):
        save_decoder(self.path, SIZES, rows="rows")
        options = ("--tokenizer", self.tokenizer, "--max-tokens=4", "--context-length=24", "--schedules=estimated", "--sim",
                   "--prompt-chunk=4", "--verify")
        report = json.loads(self.succeed("vta-run", self.path, "--generate", "ab", "--generate", "zebra", *options,
                                         "--speculate=2", "--json"))
        self.assertEqual((report["format"], report["version"]), ("vta-text", 1))
        self.assertGreater(report["verified_layers"], 0)
        self.assertEqual([text["prompt"] for text in report["texts"]], ["ab", "zebra"])
        for text in report["texts"]:
            self.assertEqual(len(text["tokens"]), 4)
            self.assertEqual(text["end"], "length")
            self.assertEqual(text["runs"] + text["right_guesses"], 3)
            self.assertEqual(text["prompt_runs"], -(-len(text["prompt_tokens"]) // 4))
            self.assertGreater(text["vta_prompt"]["cycles"], 0)
            self.assertAlmostEqual(text["vta"]["ms"], text["vta"]["cycles"] / report["clock_mhz"] / 1e3)
        self.assertNotIn("perplexity", report)
        text = self.write("text.txt", "zebra")
        report = json.loads(self.succeed("vta-run", self.path, "--perplexity", text, "--tokenizer", self.tokenizer,
                                         "--partition=cpu", "--json"))
        self.assertEqual(report["texts"], [])
        self.assertEqual((report["perplexity"]["tokens"], report["perplexity"]["all_tokens"]), (6, 6))
        self.assertGreater(report["perplexity"]["perplexity"], 1)
        self.assertIsNone(report["hw"])

    def test_errors_are_json_too(self):
        save_decoder(self.path, SIZES)
        result = tool("vta-run", self.path, "--generate", "a" * 40, "--tokenizer", self.tokenizer, "--json", *FLOAT)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(json.loads(result.stdout)["format"], "vta-error")

    def test_help_says_how_long_texts_may_be(self):
        self.assertIn("default with --generate and --perplexity: 256",
                      " ".join(self.succeed("vta-run", "--help").split()))

    def test_wrong_usage(self):
        for options, says in ((["--generate", "a"], "--tokenizer"),
                              (["--tokenizer", "t.bin"], "--tokenizer needs --generate or --perplexity"),
                              (["--generate", "a", "--perplexity", "t.txt", "--tokenizer", "t.bin"], "two different runs"),
                              (["--perplexity", "t.txt"], "--perplexity needs --tokenizer"),
                              (["--temperature", "1"], "--temperature needs --generate"),
                              (["--top-k", "3"], "--top-k needs --generate"),
                              (["--speculate", "3"], "--speculate needs --generate"),
                              (["--perplexity", "t.txt", "--tokenizer", "t.bin", "--speculate", "3"],
                               "--speculate needs --generate"),
                              (["--generate", "a", "--tokenizer", "t.bin", "--profile"], "leave out --profile"),
                              (["--generate", "a", "--tokenizer", "t.bin", "--input", "x.npy"], "leave out --input"),
                              (["--generate", "a", "--tokenizer", "t.bin", "--preprocess", "none"],
                               "leave out --preprocess"),
                              (["--generate", "a", "--tokenizer", "t.bin", "--top", "5"], "leave out --top"),
                              (["--generate", "a", "--tokenizer", "t.bin", "--stop", ""], "--stop needs a text"),
                              (["--generate", "a", "--tokenizer", "t.bin", "--stop", "a\udcff"],
                               "--stop a\\xff: the text is not UTF-8"),
                              (["--generate", "a", "--tokenizer", "t.bin", "--remote-module", "--device",
                                "tcp://localhost:1"], "leave out --remote-module"),
                              (["--generate", "a", "--tokenizer", "t.bin", "--top-p", "2"], "--top-p"),
                              (["--generate", "a", "--tokenizer", "t.bin", "--max-tokens", "0"], "--max-tokens")):
            with self.subTest(options):
                result = tool("vta-run", "model.onnx", *options)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(says, result.stderr)

    @unittest.skipUnless(STORIES.exists(), f"{STORIES} is absent")
    def test_a_trained_model_tells_a_story(self):
        weights = story_weights()
        Decoder(weights, "past").build().save(self.path)
        texts = read_tokenizer(STORY_TOKENIZER)
        options = ("--max-tokens=60", "--context-length=128")
        found, _ = self.generate("Once upon a time", *options, "--partition=cpu", tokenizer=STORY_TOKENIZER)
        once = [1, 403, 407, 261, 378]  # llama2.c's tokens of the prompt
        expected = text_of(texts, greedy(Reference(weights), once, 60, 512)).decode()
        self.assertEqual(found, "Once upon a time" + expected)
        # Several tokens in a run, and guesses, make the same text.
        Decoder(weights, "past", "rows").build().save(self.path)
        for guesses in ("--prompt-chunk=4", "--speculate=3"):
            self.assertEqual(self.generate("Once upon a time", *options, "--partition=cpu", guesses,
                                           tokenizer=STORY_TOKENIZER)[0], found)
        # Integers, with ranges from a text that the model makes by itself.
        found, _ = self.generate("Once upon a time", *options, "--verify", tokenizer=STORY_TOKENIZER)
        self.assertRegex(found, r"^Once upon a time, there was a ")


if __name__ == "__main__":
    unittest.main()
