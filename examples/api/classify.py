"""Classifies an image of a digit with the Python package. Usage: classify.py MODULE IMAGE [DEVICE]

IMAGE: 32 x 32 pixels as float32, black -1 and white 1.
"""

import sys

import numpy as np
import vta


def main(module, image, device="functional"):
    pixels = np.fromfile(image, np.float32).reshape(1, 1, 32, 32)
    session = vta.Module(module).session(device)
    print(int(session.run(pixels).argmax()))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: classify.py MODULE IMAGE [DEVICE]")
    try:
        main(*sys.argv[1:4])
    except vta.Error as error:
        sys.exit(f"classify.py: {error}")
