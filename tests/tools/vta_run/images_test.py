"""vta-run --image: memory images of our own and of others, streams, and what is wrong with them."""

import gzip
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import ROOT, ToolCase  # noqa: E402

OURS = ROOT / "tests/driver/conformance/images"
OTHERS = ROOT.parent / "shared/conformance"
CONFIGS = ROOT / "tests/sim/rtl/configs"
STEM = OURS / "tiny-1x2x4.1"
TINY = ("--hw", CONFIGS / "tiny-1x2x4.yaml")


def files_of(stem):
    return ["--image", f"{stem}.pre.img.gz", "--description", f"{stem}.json"]


class ImagesTest(ToolCase):
    def test_our_images(self):
        stems = sorted(path.with_suffix("") for path in OURS.glob("*.json"))
        self.assertEqual(len(stems), 6)
        for stem in stems:
            hw = CONFIGS / f"{stem.stem}.yaml"
            for device in ("functional", "checked", "cycle"):
                with self.subTest(stem.name, device=device):
                    text = self.succeed("vta-run", *files_of(stem), "--expect", f"{stem}.post.img.gz", "--hw", hw,
                                        "--sim", device, "--verify")
                    self.assertIn("memory equals", text)

    @unittest.skipUnless(OTHERS.exists(), "no images of others")
    def test_images_of_others(self):
        for number in range(1, 7):
            stem = OTHERS / str(number)
            with self.subTest(number):
                text = self.succeed("vta-run", *files_of(stem), "--expect", f"{stem}.post.img.gz", "--verify")
                self.assertIn("cycles", text)

    def test_json_and_saved_memory(self):
        saved = self.folder / "after.img"
        report = json.loads(self.succeed("vta-run", *files_of(STEM), *TINY, "--save", saved, "--json"))
        self.assertEqual(saved.read_bytes(), gzip.decompress(Path(f"{STEM}.post.img.gz").read_bytes()))
        self.assertGreater(report["cycles"], report["instructions"])
        self.assertEqual(sum(report[unit]["instructions"] for unit in ("load", "compute", "store")),
                         report["instructions"])

    def test_packed_parts_are_one_image(self):
        image = gzip.decompress(Path(f"{STEM}.pre.img.gz").read_bytes())
        parts = self.write("parts.gz", gzip.compress(image[:1000]) + gzip.compress(image[1000:]))
        self.succeed("vta-run", "--image", parts, "--description", f"{STEM}.json", *TINY,
                     "--expect", f"{STEM}.post.img.gz")

    def test_streams_without_a_description(self):
        finish = self.write("finish.bin", bytes([3]) + bytes(15))
        for options in (["--address", "4096"], ["--address", "0x1000", "--launch", "0x1000:1"],
                        ["--address", "4096", "--memory", "64KiB", "--verify"]):
            with self.subTest(options):
                self.assertIn("1 instructions at 0x1000", self.succeed("vta-run", "--image", finish, *options))

    def test_differences_and_faults(self):
        self.refuse("vta-run", *files_of(STEM), *TINY, "--expect", f"{STEM}.pre.img.gz", says=["bytes differ, the first at"])
        bad = self.write("bad.bin", bytes([7]) + bytes(15) + bytes([3]) + bytes(15))
        for device in ("cycle", "functional"):
            self.refuse("vta-run", "--image", bad, "--address=4096", "--launch=4096:2", "--sim", device,
                        says=["instruction 0", "llegal"])
        race = self.write("none.bin", bytes(64))
        self.refuse("vta-run", "--image", race, "--address=4096", says=["no FINISH from address 0x1000 on"])

    def test_wrong_usage_and_files(self):
        image = f"{STEM}.pre.img.gz"
        for options, says in [(("--launch", "x"), "ADDRESS:COUNT"), (("--address", "-1"), "not a number from 0"),
                              (("--memory", "1.5"), "not a size"), (("--memory", "1TiB"), "64KiB"), (("--no-such",), "--no-such")]:
            self.refuse("vta-run", "--image", image, *options, code=2, says=[says])
        for content, says in [("[]", "not a JSON object"), ('{"insn_count": 1}', "insn_addr is missing"),
                              ('{"insn_addr": -1}', "not a whole number"), ('{"address": 0, "x": 1}', "unknown key x")]:
            description = self.write("d.json", content)
            self.refuse("vta-run", "--image", image, "--description", description, says=["d.json", says])
        self.refuse("vta-run", "--image", image, "--launch=0", "--memory=1K", says=["1024 bytes does not hold"])
        self.refuse("vta-run", "--image", image, "--launch=0", "--memory=5G", says=["more than 4 GiB"])
        self.refuse("vta-run", "--image", image, "--launch=0xffffffffffffffff:4294967295", says=["reach outside"])
        self.refuse("vta-run", "--image", image, "--launch", "4096:5", "--save", image, says=["--image", "--save"])
        damaged = self.write("cut.gz", Path(image).read_bytes()[:100])
        self.refuse("vta-run", "--image", damaged, "--launch=0", says=["cut.gz", "damaged"])


if __name__ == "__main__":
    unittest.main()
