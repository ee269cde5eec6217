#!/usr/bin/env python3
"""A small language model that needs no training.

Its tokens are the words of a few sentences, and the weights say which word follows which one how often. It has the form of
a decoder with caches all the same: attention and hidden layers that add nothing, so that it shows the way of a model from
its file to a text.
"""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from language_model import Decoder, Sizes, Weights  # noqa: E402

TEXT = """Once upon a time there was a little girl who had a red ball . One day the girl went to the park and saw a big dog .
The dog wanted to play with the ball . The girl was happy and gave the ball to the dog . They played in the park until the
sun went down . Then the girl went home and told her mom about the dog . Her mom smiled and said that she was proud of the
girl . The little girl slept well and had a dream about the big dog and the red ball ."""
END = "<|endoftext|>"


def vocabulary():
    """Texts of tokens; words have their space in front."""
    words = sorted({f" {word}" for word in TEXT.split()})
    return [END, *words]


def scores_of_pairs(texts):
    """[token, next token]: logarithms of how often it follows, beside a little for all others."""
    words = [texts.index(f" {word}") for word in TEXT.split()]
    counts = np.full((len(texts), len(texts)), 1e-4)
    for (first, second), count in Counter(zip(words, words[1:])).items():
        counts[first, second] += count
    # A text may end behind a sentence.
    counts[texts.index(" ."), 0] += 2
    return np.log(counts / counts.sum(1, keepdims=True))


def weights_of(texts):
    """A token's row is one number at its own place, whose size normalisation knows."""
    width = -(-len(texts) // 16) * 16
    sizes = Sizes(width=width, layers=1, heads=2, key_heads=2, hidden=32, words=len(texts))
    weights = Weights(sizes)
    weights.embedding = np.zeros((len(texts), width), np.float32)
    np.fill_diagonal(weights.embedding, 1)
    for name in ("l0.o", "l0.down"):
        weights.matrices[name] = np.zeros_like(weights.matrices[name])
    weights.norms["last"] = np.full(width, width**-0.5, np.float32)  # the only number becomes 1
    head = np.zeros((width, len(texts)), np.float32)
    head[:len(texts)] = scores_of_pairs(texts)
    weights.matrices["head"] = head
    return weights


def tokenizer_of(texts):
    """tokenizer.json: words are joined letter by letter."""
    marked = [text.replace(" ", "▁") for text in texts]
    vocabulary_of = {text: number for number, text in enumerate(marked)}
    merges = []
    for word in marked[1:]:
        for end in range(1, len(word)):
            for part in (word[:end], word[end], word[:end + 1]):
                vocabulary_of.setdefault(part, len(vocabulary_of))
            if f"{word[:end]} {word[end]}" not in merges:
                merges.append(f"{word[:end]} {word[end]}")
    spaces = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    return {"added_tokens": [{"id": 0, "content": END, "special": True}], "normalizer": None, "pre_tokenizer": spaces,
            "post_processor": None, "decoder": spaces,
            "model": {"type": "BPE", "vocab": vocabulary_of, "merges": merges}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", metavar="MODEL.onnx", type=Path, help="where to write the model")
    parser.add_argument("tokenizer", metavar="TOKENIZER.json", type=Path, help="where to write its tokenizer")
    options = parser.parse_args()
    tokenizer = tokenizer_of(vocabulary())
    # Parts of words are tokens, too: no word follows them, and they follow none.
    texts = [text.replace("▁", " ") for text in sorted(tokenizer["model"]["vocab"], key=tokenizer["model"]["vocab"].get)]
    Decoder(weights_of(texts), "past_sequence_length").build().save(options.model)
    options.tokenizer.write_text(json.dumps(tokenizer, ensure_ascii=False))


if __name__ == "__main__":
    main()
