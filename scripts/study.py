#!/usr/bin/env python3
"""Runs a study again: its sweeps, and the tables and pictures of its page in docs/studies.

usage: scripts/study.py NAME... --models FOLDER [--build DIR] [--cache FILE] [--workers N]
  NAME      array-shapes, devices, joint, memories, search
  --models  the folder with the networks, for instance with imagenet/resnet18_seeded_f32.onnx
  --build   the build with bin/vta-sweep (default: build)
  --cache   vta-sweep's cache: an interrupted study goes on (default: vta-sweep's own)
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from studies import array_shapes, devices, joint, memories, search  # noqa: E402
from studies.study import ROOT, Study  # noqa: E402

STUDIES = {"array-shapes": array_shapes, "devices": devices, "joint": joint, "memories": memories, "search": search}
PAGES = {"joint": "search"}  # where that is not the study's name


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="+", choices=STUDIES, metavar="NAME", help=", ".join(STUDIES))
    parser.add_argument("--models", type=Path, required=True, help="the folder with the networks")
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the build with bin/vta-sweep")
    parser.add_argument("--cache", help="vta-sweep's cache")
    parser.add_argument("--workers", type=int, default=1, help="processes that evaluate")
    arguments = parser.parse_args()
    for name in arguments.names:
        STUDIES[name].run(Study(f"{PAGES.get(name, name)}.md", arguments.build, arguments.models, arguments.cache, arguments.workers))


if __name__ == "__main__":
    main()
