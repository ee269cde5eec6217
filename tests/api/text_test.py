"""Texts of language models from Python and C++: generate, tokenizers, what sessions keep."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ["VTA_BINARY_DIR"])
for folder in ("tests/tools/cases", "scripts/models"):
    sys.path.insert(0, str(ROOT / folder))

from language_model import Reference, Sizes, save_decoder  # noqa: E402
from story_model import greedy, text_of, write_tokenizer  # noqa: E402

SIZES = Sizes(width=32, layers=1, heads=4, key_heads=2, hidden=48, words=300)
PROGRAM = r"""
#include <cstdio>
#include <vta/vta.hpp>
int main(int, char** argv) {
  using namespace vta::api;
  const Module module(argv[1]);
  const Tokenizer tokenizer(argv[2]);
  Session session(module);
  session.setInput(0, tokenizer.encode("").data(), sizeof(int64_t));
  session.run();
  Session fork = session.fork();
  std::string shown;
  const Generation made = fork.generate(tokenizer, "ab", {5, 0, 0, 1, 1, {}, [&](const char* piece) { shown += piece; }});
  const auto state = session.saveState();
  session.loadState(state);
  std::printf("%d %d %s %d", made.text == shown, static_cast<int>(made.tokens), made.end.c_str(),
              static_cast<int>(session.textLength()));
}
"""


def run(*command, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command}: {result.returncode}\n{result.stdout}\n{result.stderr}")
    return result.stdout


class TextTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.model, cls.module = cls.folder / "model.onnx", cls.folder / "model.vta.so"
        cls.tokenizer = cls.folder / "tokenizer.bin"
        cls.texts = write_tokenizer(cls.tokenizer, ["ab", "the"])
        cls.weights = save_decoder(cls.model, SIZES)
        run(BUILD / "bin/vta-compile", cls.model, "--context-length=16", "--partition=cpu", "-o", cls.module)

    def python(self, text):
        if not list(BUILD.glob("python/vta/_native*")):
            self.skipTest("this build has no Python package: pybind11 is missing")
        names = f"MODULE, TOKENIZER = {str(self.module)!r}, {str(self.tokenizer)!r}\nimport vta\n"
        return run("/usr/bin/python3", "-B", "-c", names + text,
                   env={**os.environ, "PYTHONPATH": str(BUILD / "python")}).strip()

    def test_generate_makes_the_likeliest_text(self):
        prompt = [1, 259, self.texts.index("ab")]
        tokens = greedy(Reference(self.weights), prompt, 6, len(self.texts))
        found = self.python("shown = []\n"
                            "made = vta.generate(MODULE, TOKENIZER, 'ab', max_tokens=6, show=shown.append)\n"
                            "assert ''.join(shown) == made['text']\n"
                            "print(made['text'].encode().hex(), made['prompt_tokens'], made['tokens'])")
        # A seeded model puts bytes together that are no characters.
        text = text_of(self.texts, tokens).decode("utf-8", "replace")
        self.assertEqual(found, f"{text.encode().hex()} 3 {len(tokens)}")

    def test_tokenizers(self):
        self.assertEqual(self.python("t = vta.Tokenizer(TOKENIZER)\n"
                                     "print(len(t), t.encode('abc'), t.decode(t.encode('abc')), ascii(t.decode([200])))"),
                         f"{len(self.texts)} {[1, 259, self.texts.index('ab'), self.texts.index('c')]} abc '\\ufffd'")

    def test_sessions_save_load_and_fork(self):
        self.assertEqual(self.python("import numpy as np\n"
                                     "s = vta.Module(MODULE).session()\n"
                                     "step = lambda token: s.run(np.array([[token]]))\n"
                                     "step(5); state = s.save_state(); first = step(6)\n"
                                     "s.load_state(state); assert s.text_length == 1\n"
                                     "assert (step(6) == first).all()\n"
                                     "s.clear_state(); print(s.text_length)"), "0")

    def test_runs_take_several_words_or_fewer(self):
        model, module = self.folder / "rows.onnx", self.folder / "rows.vta.so"
        save_decoder(model, SIZES, rows="rows")
        run(BUILD / "bin/vta-compile", model, "--context-length=16", "--prompt-chunk=4", "--partition=cpu", "-o", module)
        self.assertEqual(self.python("import numpy as np\n"
                                     f"s = vta.Module({str(module)!r}).session()\n"
                                     "words = np.array([[5, 6, 7, 8]])\n"
                                     "all = s.run(words); s.clear_state()\n"
                                     "for i in range(4):\n"
                                     "  one = s.run(words[:, i:i + 1])\n"
                                     "  np.testing.assert_allclose(one[0, 0], all[0, i], rtol=1e-4, atol=1e-4)\n"
                                     "two = s.run(words[:, :2]); print(s.text_length, two.shape)\n"
                                     "for wrong in (np.zeros((1, 5), int), np.zeros((1, 0), int), np.zeros((2, 2), int)):\n"
                                     "  try: s.run(wrong)\n"
                                     "  except vta.Error as error: print('1x4 int64, not' in str(error))"),
                         "6 (1, 4, 300)\nTrue\nTrue\nTrue")
        self.assertEqual(self.python(f"m = vta.Module({str(module)!r})\n"
                                     "texts = [vta.generate(m, TOKENIZER, 'ab', max_tokens=9, speculate=k)['text'] for k in (0, 3)]\n"
                                     "print(texts[0] == texts[1] == vta.generate(MODULE, TOKENIZER, 'ab', max_tokens=9)['text'])"),
                         "True")

    def test_a_session_guesses_for_another(self):
        model, module = self.folder / "rows.onnx", self.folder / "guessed.vta.so"
        save_decoder(model, SIZES, rows="rows")
        run(BUILD / "bin/vta-compile", model, "--context-length=16", "--prompt-chunk=4", "-o", module)
        self.assertEqual(self.python(f"m = vta.Module({str(module)!r})\n"
                                     "device = vta.Device(m)\n"
                                     "for d in (m.session(), vta.Session(m, device), vta.Module(MODULE).session()):\n"
                                     "  s = vta.Session(m, device)\n"
                                     "  made = [s.generate(vta.Tokenizer(TOKENIZER), 'ab', max_tokens=9, **more)['text']\n"
                                     "          for more in ({}, {'speculate': 3, 'draft': d}) if s.clear_state() is None]\n"
                                     "  print(made[0] == made[1])\n"
                                     "try: s.generate(vta.Tokenizer(TOKENIZER), 'ab', speculate=3, draft=s)\n"
                                     "except vta.Error as error: print('for itself' in str(error))"),
                         "True\nTrue\nTrue\nTrue")

    def test_errors_say_what_is_wrong(self):
        for text, says in (("vta.Tokenizer('nowhere.bin')", "nowhere.bin"),
                           ("vta.Module(MODULE).session().load_state(b'x')", "is not of this module"),
                           ("vta.generate(MODULE, TOKENIZER, 'x ' * 20)", "has room for 16"),
                           ("vta.generate(MODULE, TOKENIZER, 'x', temperature=-1)", "temperature"),
                           ("vta.generate(MODULE, TOKENIZER, 'x', speculate=2)", "--prompt-chunk=3"),
                           ("vta.generate(MODULE, TOKENIZER, 'x', max_tokens=0)", "at least 1")):
            with self.subTest(text):
                found = self.python(f"try:\n  {text}\nexcept vta.Error as error:\n  print(error)")
                self.assertIn(says, found)

    def test_example(self):
        if not list(BUILD.glob("python/vta/_native*")):
            self.skipTest("this build has no Python package: pybind11 is missing")
        chain, tokenizer, module = (self.folder / f"chain.{end}" for end in ("onnx", "json", "vta.so"))
        run("/usr/bin/python3", "-B", ROOT / "scripts/models/chain_model.py", chain, tokenizer)
        run(BUILD / "bin/vta-compile", chain, "--context-length=64", "-o", module)
        call = ["/usr/bin/python3", "-B", ROOT / "examples/api/story.py", module, tokenizer]
        environment = {**os.environ, "PYTHONPATH": str(BUILD / "python")}
        output = run(*call, "Once upon a time", 3, env=environment)
        self.assertEqual(len(re.findall(r"^Once upon a time .*$", output, re.M)), 3, output)
        self.assertEqual(len(re.findall(r"^\(\d+ tokens; (?:end|length|capacity)\)$", output, re.M)), 3, output)
        wrong = subprocess.run([*map(str, call), "x" * 100], capture_output=True, text=True, env=environment)
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("story.py: the tokenizer has no token for 'x'", wrong.stderr)

    def test_cpp(self):
        source, program = self.folder / "text.cpp", self.folder / "text"
        source.write_text(PROGRAM)
        library = next(BUILD.glob("**/libvta.so.0")).parent
        run("c++", "-std=c++17", source, "-I", ROOT / "api/include", "-L", library, "-l:libvta.so.0",
            f"-Wl,-rpath,{library}", "-o", program)
        same, tokens, end, length = run(program, self.module, self.tokenizer).split()
        self.assertEqual((same, length), ("1", "1"))
        self.assertEqual((int(tokens), end), (5, "length")) if end == "length" else self.assertEqual(end, "end")


if __name__ == "__main__":
    unittest.main()
