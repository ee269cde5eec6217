#!/usr/bin/env python3
"""Makes an ONNX decoder with caches of a file of weights: a checkpoint of llama2.c, or GGUF of llama.cpp.

Models have the form of LLaMA. Weights of GGUF may be F32, F16, Q8_0 and Q4_0; the model has floats, which vta-run and
vta-compile quantise by ranges of their own.
"""

import argparse
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from gguf_file import read_gguf  # noqa: E402
from language_model import Decoder  # noqa: E402
from weight_files import FileError, read_llama2c  # noqa: E402


def write_tokenizer(path, tokens):
    """llama2.c's tokenizer.bin."""
    pieces = [(text.encode(), score) for text, score in tokens]
    file = struct.pack("<i", max(len(text) for text, _ in pieces))
    for text, score in pieces:
        file += struct.pack("<fi", score, len(text)) + text
    path.write_bytes(file)


def convert(options):
    data = options.weights.read_bytes()
    weights = read_gguf(data) if data[:4] == b"GGUF" else read_llama2c(data)
    if options.tokenizer is not None and weights.tokens is None:
        raise FileError("the file has no tokenizer that tokenizer.bin can hold; leave --tokenizer out")
    Decoder(weights, "past_sequence_length", "sequence_length").build().save(options.model)
    if options.tokenizer is not None:
        write_tokenizer(options.tokenizer, weights.tokens)
    sizes = weights.sizes
    print(f"{sizes.layers} layers of {sizes.width}, {sizes.words} tokens, texts of up to {sizes.positions}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", metavar="WEIGHTS", type=Path, help="model.bin of llama2.c, or model.gguf")
    parser.add_argument("model", metavar="MODEL.onnx", type=Path, help="where to write the model")
    parser.add_argument("--tokenizer", metavar="TOKENIZER.bin", type=Path, help="where to write the tokenizer of a GGUF file")
    options = parser.parse_args()
    try:
        convert(options)
    except FileError as error:
        sys.exit(f"{sys.argv[0]}: {options.weights}: {error}")
    except OSError as error:
        sys.exit(f"{sys.argv[0]}: {error}")


if __name__ == "__main__":
    main()
