"""What all studies share: running vta-sweep, and putting tables and pictures into pages of docs/studies."""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "studies"
PICTURES = ROOT / "docs" / "pictures" / "studies"
PICTURE_LINK = "../pictures/studies"  # from a page


class Study:
    """One study with its page. `cache` is vta-sweep's; with it a study that was interrupted goes on."""

    def __init__(self, page, binaries, models, cache, workers):
        self.page, self.binaries, self.models, self.cache, self.workers = PAGES / page, binaries, models, cache, workers

    def model(self, name):
        """The file of a network below the folder of models."""
        file = self.models / f"{name}.onnx"
        if not file.is_file():
            sys.exit(f"study.py: error: there is no model {file}; --models names the folder with it")
        return file

    def sweep(self, description, models, *options):
        """The results of a sweep as vta-sweep's JSON has them."""
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "results.json"
            command = [self.binaries / "bin" / "vta-sweep", ROOT / "configs/sweeps" / description, "--output", output]
            command += ["--workers", self.workers, *options]
            if self.cache:
                command += ["--cache", self.cache]
            for model in models:
                command += ["--model", self.model(model)]
            result = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
            if result.returncode != 0:
                sys.exit(f"study.py: error: {' '.join(map(str, command))}: {result.stderr}")
            return json.loads(output.read_text())

    def sweep_text(self, text, models, *options):
        """The results of a description that is in no file; file names in it are relative to configs/sweeps."""
        with tempfile.NamedTemporaryFile("w", dir=ROOT / "configs/sweeps", suffix=".yaml") as file:
            file.write(text)
            file.flush()
            return self.sweep(file.name, models, *options)

    def model_error(self, description, results, trainings):
        """What bench_surrogate says of the learned model on enumerated results: a row for each number of samples."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "results.json"
            file.write_text(json.dumps(results))
            command = [self.binaries / "bin" / "bench_surrogate", ROOT / "configs/sweeps" / description, file, "--training"]
            command += trainings
            text = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True).stdout
            return json.loads(text)

    def write_picture(self, name, chart):
        (PICTURES / name).write_text(chart.svg())

    def write_part(self, mark, text):
        """Replaces what stands between <!-- begin mark --> and <!-- end mark --> on the page."""
        page = self.page.read_text()
        begin, end = f"<!-- begin {mark} -->\n", f"<!-- end {mark} -->"
        if begin not in page or end not in page:
            sys.exit(f"study.py: error: {self.page} has no marks for {mark}")
        head, rest = page.split(begin, 1)
        self.page.write_text(head + begin + text + end + rest.split(end, 1)[1])


def feasible(results):
    return [point for point in results["points"] if point["status"] == "ok"]


def shape(point):
    """"1x16x16": the array of a point."""
    return "x".join(str(int(point["values"][f"gemm.{key}"])) for key in ("batch", "block_in", "block_out"))


def table(heads, rows):
    """A table in Markdown; columns after the first are numbers if they look like ones."""
    is_number = [all(re.fullmatch(r"[\d.,%x ()-]*", str(row[i])) for row in rows) for i in range(len(heads))]
    rule = "|".join("---:" if number else "---" for number in is_number)
    lines = [" | ".join(map(str, row)) for row in [heads, *rows]]
    return f"| {lines[0]} |\n|{rule}|\n" + "".join(f"| {line} |\n" for line in lines[1:])
