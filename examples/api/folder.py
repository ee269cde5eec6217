"""Classifies every image of a folder with the Python package. Usage: folder.py MODULE FOLDER [DEVICE]

Prints a line for each PNG file: its name and the digit. Needs Pillow (Debian: python3-pil).
One image is read while the one before it runs.
"""

import sys
from pathlib import Path

import numpy as np
import vta
from PIL import Image


def pixels_of(file):
    """The image as the network wants it (examples/digits/preprocess.yaml): 1x1x32x32, black -1 and white 1."""
    grey = Image.open(file).convert("L").resize((32, 32))
    return (np.asarray(grey, np.float32) / 255 - 0.5)[None, None] / 0.5


def main(module, folder, device="functional"):
    files = sorted(Path(folder).glob("*.png"))
    if not files:
        raise SystemExit(f"folder.py: '{folder}' has no .png file")
    session = vta.Module(module).session(device)
    previous = None
    for file in [*files, None]:
        pixels = pixels_of(file) if file else None  # while the session runs
        if previous:
            session.wait()
            print(previous.name, session.outputs()["probabilities"].argmax())
        if file:
            session.start(pixels)
        previous = file


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: folder.py MODULE FOLDER [DEVICE]")
    try:
        main(*sys.argv[1:4])
    except vta.Error as error:
        sys.exit(f"folder.py: {error}")
