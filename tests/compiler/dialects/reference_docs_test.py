"""docs/reference/: the pages agree with the TableGen files, and vta-opt takes the example of every op."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts/docs"))

import reference_docs  # noqa: E402

VTA_OPT = Path(os.environ["VTA_BINARY_DIR"]) / "bin" / "vta-opt"

_OP = re.compile(r"^### `((?:graph|vta)\.\w+)`\n(.*?)(?=^#{2,3} |\Z)", re.MULTILINE | re.DOTALL)
_EXAMPLE = re.compile(r"^```mlir\n(.*?)^```", re.MULTILINE | re.DOTALL)
_SYNTAX = re.compile(r"^Syntax:\n\n```\n.*?^```\n", re.MULTILINE | re.DOTALL)
_TYPE = r"tensor<[^>]*>"


def ops_of(page):
    """Name and text of every op on a page."""
    return _OP.findall(page)


def description_of(text):
    """What an op's text says in words: neither its summary nor its syntax, example and tables."""
    text = _EXAMPLE.sub("", _SYNTAX.sub("", text)).split("\n#### ")[0]
    return re.sub(r"^_.*_$", "", text, flags=re.MULTILINE).strip()


def operands_of(statement):
    """Types of the values that an example uses, by name: `(%x : type)`, the others before ` : types -> type`."""
    statement = re.sub(r"\(\{.*\}\)", "", statement, flags=re.DOTALL)  # regions have values of their own
    operation = re.sub(r"\s+", " ", statement.split(" = ", 1)[1] if statement.startswith("%") else statement)
    typed = dict(re.findall(rf"\((%\w+) : ({_TYPE})\)", operation))
    names = [name for name in re.findall(r"%\w+", operation) if name not in typed]
    types = re.match(rf".* : \(?((?:{_TYPE}(?:, )?)*)\)? ?-> ", operation)
    if names:
        return dict(zip(names, re.findall(_TYPE, types.group(1)), strict=True)) | typed
    return typed


def functions_of(name, statement):
    """IR that holds one example: a function of its operands, and the reference that a kernel names."""
    operands = operands_of(statement)
    arguments = ", ".join(f"{operand}: {type_}" for operand, type_ in operands.items())
    text = f"func.func @{name}({arguments}) {{\n{statement}\nreturn\n}}\n"
    for reference in re.findall(r"vta.(?:kernel|chain|program) @(\w+)", statement):
        result = re.findall(_TYPE, statement)[-1]
        text += f"func.func private @{reference}({', '.join(operands.values())}) -> {result}\n"
    return text


class PagesTest(unittest.TestCase):
    def test_pages_agree_with_the_tablegen_files(self):
        for name, text in reference_docs.pages(reference_docs.find_tblgen()).items():
            with self.subTest(name):
                self.assertEqual((reference_docs.FOLDER / name).read_text(), text, "run scripts/docs/reference_docs.py")

    def test_every_pass_has_a_description(self):
        page = (reference_docs.FOLDER / "passes.md").read_text()
        passes = re.findall(r"^### `-([\w-]+)`\n\n_.+_\n\n(.*)$", page, re.MULTILINE)
        self.assertEqual(len(passes), len(re.findall("^### ", page, re.MULTILINE)))
        self.assertGreater(len(passes), 10)
        for name, description in passes:
            self.assertRegex(description, r"^[^#]", name)

    def test_every_op_has_a_description_and_an_example_that_vta_opt_takes(self):
        texts = []
        for dialect in reference_docs.DIALECTS:
            ops = ops_of((reference_docs.FOLDER / f"{dialect}-dialect.md").read_text())
            self.assertGreater(len(ops), 8)
            for op, text in ops:
                with self.subTest(op):
                    examples = _EXAMPLE.findall(text)
                    self.assertTrue(any(op in example for example in examples), "has no example")
                    self.assertRegex(description_of(text), r"\w", "has no description")
                    texts += [functions_of(f"{op.replace('.', '_')}_{i}", example.strip())
                              for i, example in enumerate(examples)]
        result = subprocess.run([VTA_OPT, "--split-input-file", "-"], input="\n// -----\n".join(texts),
                                capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.count("func.func @"), len(texts))

    def test_examples_that_are_wrong_are_found(self):
        right = "%y = graph.cast %x : (tensor<4xi32>) -> tensor<4xi8>"
        for text, code in ((right, 0), (right.replace("4xi8", "5xi8"), 1)):
            result = subprocess.run([VTA_OPT, "-"], input=functions_of("f", text), capture_output=True, text=True)
            self.assertEqual(result.returncode, code, result.stderr)


class ExamplesTest(unittest.TestCase):
    def test_operands(self):
        self.assertEqual(operands_of("vta.finish {tokens = []}"), {})
        self.assertEqual(
            operands_of("%y = graph.concat %a, %b {axis = 1 : i64}\n : (tensor<1xf32>, tensor<2xf32>) -> tensor<3xf32>"),
            {"%a": "tensor<1xf32>", "%b": "tensor<2xf32>"})
        self.assertEqual(
            operands_of("%o = vta.kernel @r(%x) weight(%w : tensor<2xi8>) {m = 3 : i64} : tensor<1xi8> -> tensor<1xi8>"),
            {"%x": "tensor<1xi8>", "%w": "tensor<2xi8>"})

    def test_descriptions(self):
        self.assertEqual(description_of("\n_Sum_\n\nSyntax:\n\n```\nx\n```\n\n```mlir\nx\n```\n\n#### Operands:\n"), "")
        self.assertEqual(description_of("\n_Sum_\n\nAdds.\n\n#### Operands:\n"), "Adds.")


if __name__ == "__main__":
    unittest.main()
