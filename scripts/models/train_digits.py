#!/usr/bin/python3
"""Makes examples/digits: trains a small network on digits rendered from fonts and writes it as ONNX.

Needs fonts beyond those of scripts/setup, and a fast BLAS makes it several times quicker:
  apt-get install fonts-dejavu-extra fonts-liberation2 fonts-freefont-ttf fonts-urw-base35 fonts-lato \
                  fonts-hack fonts-inconsolata libopenblas0-pthread
The result depends on the seed, the fonts' versions and, in the last bits of the weights, on the BLAS.
"""

import argparse
import csv
import shutil
import sys
import time
from pathlib import Path

import numpy as np
import onnx
from PIL import Image

from digits import network, render
from digits.export import to_onnx

LABELS = "zero one two three four five six seven eight nine".split()
BATCH = 64


def accuracy(net, images, labels):
    correct = 0
    for start in range(0, len(labels), 256):
        logits = net.forward(network.normalise(images[start:start + 256]))
        correct += int((logits.argmax(1) == labels[start:start + 256]).sum())
    return correct / len(labels)


def train(net, images, labels, epochs, rng):
    optimiser = network.Adam(net.layers)
    steps, step, start = epochs * (len(labels) // BATCH), 0, time.monotonic()
    for epoch in range(epochs):
        order, total_loss = rng.permutation(len(labels)), 0.0
        for first in range(0, len(labels) - BATCH + 1, BATCH):
            pick = order[first:first + BATCH]
            logits = net.forward(network.normalise(images[pick]))
            loss, grad = network.softmax_cross_entropy(logits, labels[pick])
            net.backward(grad)
            optimiser.update(2e-3 * 0.5 * (1 + np.cos(np.pi * step / steps)))  # cosine decay to 0
            step, total_loss = step + 1, total_loss + float(loss)
        print(f"epoch {epoch + 1}/{epochs}: loss {total_loss / (len(labels) // BATCH):.4f}, "
              f"{time.monotonic() - start:.0f} s", flush=True)


def write_images(folder, images, names):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for image, name in zip(images, names):
        Image.fromarray(image).save(folder / name, optimize=True)


def write_example(folder, net, seed):
    """Model, labels, preprocessing, scored images (held-out fonts) and calibration images (training fonts)."""
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(to_onnx(net), str(folder / "digits.onnx"))
    (folder / "labels.txt").write_text("\n".join(LABELS) + "\n")
    images, labels = render.make_data_set(render.held_out_fonts(), 20, np.random.default_rng(seed + 3))
    names = [f"{LABELS[d]}-{i // 10 + 1}.png" for i, d in enumerate(labels)]
    write_images(folder / "images", images, names)
    with open(folder / "labels.csv", "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(zip(names, labels))
    images, _ = render.make_data_set(render.training_fonts(), 32, np.random.default_rng(seed + 4))
    write_images(folder / "calibration", images, [f"{i:02}.png" for i in range(len(images))])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path(__file__).resolve().parents[2] / "examples/digits",
                        help="folder to write (default: %(default)s)")
    parser.add_argument("--images", type=int, default=24000, help="training images (default: %(default)s)")
    parser.add_argument("--epochs", type=int, default=8, help="passes over them (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of everything random (default: %(default)s)")
    args = parser.parse_args()

    net = network.DigitsNetwork(np.random.default_rng(args.seed))
    images, labels = render.make_data_set(render.training_fonts(), args.images, np.random.default_rng(args.seed + 1))
    train(net, images, labels, args.epochs, np.random.default_rng(args.seed))

    test_rng = np.random.default_rng(args.seed + 2)
    seen = accuracy(net, *render.make_data_set(render.training_fonts(), 2000, test_rng))
    unseen = accuracy(net, *render.make_data_set(render.held_out_fonts(), 2000, test_rng))
    print(f"accuracy on 2000 new renderings: {seen:.1%} in the fonts of training, {unseen:.1%} in other fonts")
    if min(seen, unseen) < 0.97:
        print("train_digits: error: below 97 %, nothing written", file=sys.stderr)
        return 1
    write_example(args.output, net, args.seed)
    print(f"wrote {args.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
