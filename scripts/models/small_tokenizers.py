#!/usr/bin/env python3
"""Small tokenizers of all supported kinds, as Hugging Face writes them: usage: small_tokenizers.py FOLDER

tests/driver/generate/data has them. cases.json there is what the npm package @huggingface/tokenizers 0.2.0 makes of
some texts with each: tokens, and the text of these tokens without those that only steer a model.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path

TEXT = """Once upon a time, there was a little girl named Lily. She loved to play outside in the park. One day, she saw a big,
red ball. She wanted to play with it, but it was too high! Lily's mom said: "Don't worry, I'll get it for you." They've 12 apples,
345 pears and 6789 plums. Les élèves ont mangé du gâteau à Noël. Der große Bär läuft über die Straße. 日本語のテキスト。 print("x = y + 1")
""" * 2
# Words to learn merges of; tokenizers cut texts by their own expressions.
WORDS = r"'s|'t|'re|'ve|'m|'ll|'d| ?[A-Za-z\u00c0-\u02ff\u3040-\u9fff]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+"
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
          r"\s+(?!\S)|\s+")


def characters_of_bytes():
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in shown]
    return {byte: chr(byte) for byte in shown} | {byte: chr(256 + i) for i, byte in enumerate(others)}


def joined(word, pair):
    parts = []
    for part in word:
        if parts and (parts[-1], part) == pair:
            parts[-1] += part
        else:
            parts.append(part)
    return tuple(parts)


def learn(words, vocabulary, most):
    """Adds `most` merges of neighbours that stand together most often; the merges."""
    counts, merges = Counter(tuple(word) for word in words), []
    for _ in range(most):
        pairs = Counter()
        for word, count in counts.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += count
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(best)
        vocabulary.setdefault("".join(best), len(vocabulary))
        merged = Counter()
        for word, count in counts.items():
            merged[joined(word, best)] += count
        counts = merged
    return merges


def added(number, text, special):
    return {"id": number, "content": text, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
            "special": special}


def template(token, number):
    first, second = ({"Sequence": {"id": name, "type_id": kind}} for kind, name in enumerate("AB"))
    return {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": token, "type_id": 0}}, first],
            "pair": [first, second], "special_tokens": {token: {"id": token, "ids": [number], "tokens": [token]}}}


def model(vocabulary, merges, **fields):
    return {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
            "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False} | fields | {
                "vocab": vocabulary, "merges": merges}


def write(path, tokens, normalizer, pre_tokenizer, post_processor, decoder, bpe):
    fields = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": tokens, "normalizer": normalizer,
              "pre_tokenizer": pre_tokenizer, "post_processor": post_processor, "decoder": decoder, "model": bpe}
    path.write_text(json.dumps(fields, ensure_ascii=False))


def byte_level_step(**fields):
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True} | fields


def write_byte_level(path, pre_tokenizer, tokens, begin=None, normalizer=None, lists=False, **fields):
    """Tokens of bytes. `tokens`: text and whether it is special, of those behind the vocabulary."""
    of_byte = characters_of_bytes()
    vocabulary = {character: i for i, character in enumerate(sorted(of_byte.values()))}
    words = ["".join(of_byte[byte] for byte in word.encode()) for word in re.findall(WORDS, TEXT)]
    merges = learn(words, vocabulary, 180)
    numbers = {text: len(vocabulary) + i for i, (text, _) in enumerate(tokens)}
    post = template(begin, numbers[begin]) if begin else byte_level_step(add_prefix_space=True, trim_offsets=False)
    write(path, [added(numbers[text], text, special) for text, special in tokens], normalizer, pre_tokenizer, post,
          byte_level_step(add_prefix_space=True),
          model(vocabulary, [list(merge) if lists else " ".join(merge) for merge in merges], **fields))


def write_pieces(path, normalizer, pre_tokenizer):
    """Tokens of characters, and of bytes where there is none: as SentencePiece has them."""
    steering = ["<unk>", "<s>", "</s>"]
    vocabulary = {text: i for i, text in enumerate(steering)}
    for byte in range(256):
        vocabulary[f"<0x{byte:02X}>"] = len(vocabulary)
    text = TEXT.replace(" ", "▁")
    for character in sorted(set(text) - {"\n"}):
        if character.isascii() or character in "▁éèàßäöüâ":
            vocabulary[character] = len(vocabulary)
    words = [word for word in re.findall(r"▁?[^▁\n]+", text) if all(c in vocabulary for c in word)]
    merges = learn(words, vocabulary, 160)
    replace = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
    decoder = {"type": "Sequence", "decoders": [replace, {"type": "ByteFallback"}, {"type": "Fuse"},
                                                {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}
    write(path, [added(i, text, True) for i, text in enumerate(steering)], normalizer, pre_tokenizer,
          template("<s>", 1), decoder,
          model(vocabulary, [" ".join(merge) for merge in merges], unk_token="<unk>", fuse_unk=True, byte_fallback=True))


def main():
    folder = Path(sys.argv[1])
    write_byte_level(folder / "gpt2.json", byte_level_step(), [("<|endoftext|>", True)])
    split = {"type": "Split", "pattern": {"Regex": LLAMA3}, "behavior": "Isolated", "invert": False}
    write_byte_level(folder / "llama3.json",
                     {"type": "Sequence", "pretokenizers": [split, byte_level_step(use_regex=False)]},
                     [("<|begin_of_text|>", True), ("<|end_of_text|>", True), ("<tool>", False)], "<|begin_of_text|>",
                     {"type": "NFC"}, lists=True, ignore_merges=True)
    digits = {"type": "Digits", "individual_digits": True}
    write_byte_level(folder / "digits.json", {"type": "Sequence", "pretokenizers": [digits, byte_level_step()]},
                     [("<|endoftext|>", True), ("<|im_start|>", True), ("<|im_end|>", True)])
    spaces = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    write_pieces(folder / "llama2.json",
                 {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}, spaces]}, None)
    write_pieces(folder / "metaspace.json", None,
                 {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False})


if __name__ == "__main__":
    main()
