"""Writes docs/operators.md: runs ONNX's operator cases and the probes of operator_probes.py."""

import collections
import json
import os
import re
import subprocess
import tempfile
import textwrap
from pathlib import Path

import operator_probes

_ROOT = Path(__file__).resolve().parents[2]
_PAGE = _ROOT / "docs/operators.md"
_BIN = _ROOT / "build/bin"

# Quantised operators are read as floats between quantisation, and computed in integers again.
_QUANTISED = {"QLinearConv": "Conv", "QLinearMatMul": "MatMul"}

_HEAD = """# Operators

This page lists the operators of ONNX that the compiler imports.
It is for people who want to know whether their model runs, and which of its operators run on the accelerator.
`scripts/operators_table` writes it from a run of the ONNX project's operator cases (Debian's `libonnx-testdata`).
The cases run on the CPU, with inputs given at run time.
An operator that is not listed is refused, with a message that names every such node.

- *cases*: the models that hold the operator. The first number passed; the second counts all with plain tensors.
- *VTA*: "yes" if the accelerator's kernels compute the operator between two convolutions, or if it vanishes into them
  (on `configs/hw/default.yaml`). "blocks" if the CPU moves whole packed blocks. Everything else runs on the CPU.
- *GPU*: the cases that pass with `--partition=gpu` and have every step on the GPU; the second number counts all that
  have steps, as constants have none ([on GPUs](#on-gpus)).
- *remarks*: inputs that have to be constants, and what was refused.

More is supported than single operators:

- Functions of the model are inlined, of any domain. So an operator of your own is a function with attributes and
  optional inputs. On the accelerator, [a kernel of your own](tile-kernels.md#in-an-onnx-model) may compute it.
- A branch with a constant condition is chosen. With a computed condition, the host computes the branch that is taken.
  Both are computed if one multiplies, so that the accelerator can do it. Their results may differ in one extent.
- Small loops that run equally often for all inputs are unrolled, and so are those that change the size of a value.
  Other loops run on the host. What they carry keeps its shape, and rows that they collect need a largest trip count.
  A loop that does not end is ended by Ctrl-C.
- Recurrent layers are loops on the host. The accelerator multiplies the inputs of all steps at once.
  The product of the state stays on the host: each step would read all of its weights from DRAM and cross twice.
  An LSTM with 256 states would take 34,049 cycles a step on `zynq-7020` (0.23 ms), and 0.4 ms for the two crossings.
- [Sizes that depend on data](#sizes-that-depend-on-data), such as the number of boxes that a detector finds.
- Sequences of tensors become their elements. Positions in them have to be constants.
- Models in double, float16 or bfloat16 are computed in float32. Their inputs and outputs have the declared type.
  Double stays double if no operator of the model knows float32 alone, as convolutions, products and poolings do.

"""


_DOMAINS = """## Other domains

The compiler takes these operators of any version. They are the trees and linear models of ONNX; the operators of ONNX
Runtime, also as it writes them when it optimises a model; of QONNX, Brevitas and FINN; and of AMD's Quark and Vitis AI.
Operators that are the same in several domains are listed once.
"""

_SIZES = """## Sizes that depend on data

The number of rows that NonZero, NonMaxSuppression, Compress, Unique, TopK, Range, Slice, Expand, ConstantOfShape, If or
Loop give may depend on data. The compiler keeps such a tensor with its largest size, and counts its valid rows.
An output of the model has its true shape in the end: `vta-run` and the programming interfaces return it.

- The largest size has to be known: from the size of an input, from a constant, or from Min.
  Non-maximum suppression gives `max_output_boxes_per_class` boxes of each class at most, and up to all of them if that
  is no constant.
- One dimension of a tensor may depend on data.
- Operators follow that compute each row by itself: element by element, Cast, Gather with such indices, GatherND,
  products, Softmax, reductions and sorting along other dimensions, convolutions of such a batch, and all that moves
  whole rows: Transpose, Reshape, Squeeze, Unsqueeze, Slice, Split, Concat. Concat also joins along that dimension.
- Along that dimension itself, these operators see the valid rows alone: ReduceSum, ReduceProd, ReduceL1, ReduceL2,
  ReduceSumSquare, ReduceMax and ReduceMin of floats, CumSum, TopK, NonZero, Compress, Slice, Gather, Shape, Size.
- Others are refused, with the node's name.
"""


_GPUS = """## On GPUs

The same cases compiled with `--partition=gpu`, on the three devices that stand for a GPU in tests.
Operators without kernels run on the CPU: those of other types than float32, booleans and integers, those whose
sizes depend on data, loops and branches, and the check that indices are inside of a tensor.

| device | passed | refused | wrong | with every step on the GPU |
|---|---|---|---|---|"""

# By the name that --gpu takes: the name for people, and what shows the driver to its loader.
_TEST_GPUS = {"llvmpipe": ("Mesa's llvmpipe (Vulkan)", "VK_ICD_FILENAMES", "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"),
              "swiftshader": ("SwiftShader (Vulkan)", "VK_ICD_FILENAMES", "/usr/lib/chromium/vk_swiftshader_icd.json"),
              "opencl": ("PoCL (OpenCL)", "OCL_ICD_VENDORS", "/etc/OpenCL/vendors")}


def run_cases(folder, *options, **environment):
    report = Path(folder) / "report.json"
    subprocess.run([_BIN / "vta-onnx-conformance", "--quiet", "--report", report, *options], check=True,
                   env={**os.environ, **environment})
    return json.loads(report.read_text())


def is_on_gpu(case):
    return case["outcome"] == "pass" and case["steps_on_gpu"] > 0 and case["steps_on_cpu"] == 0


def has_steps(case):
    return case["outcome"] == "pass" and case["steps_on_gpu"] + case["steps_on_cpu"] > 0


def gpu_lines(reports):
    """The table of devices. `reports` by the names of _TEST_GPUS."""
    lines = _GPUS.splitlines()
    for gpu, report in reports.items():
        cases = report["cases"].values()
        outcomes = collections.Counter(case["outcome"] for case in cases)
        wrong = sum(outcomes.values()) - sum(outcomes[name] for name in ("pass", "refused", "skipped"))
        lines.append(f"| {_TEST_GPUS[gpu][0]} | {outcomes['pass']} | {outcomes['refused']} | {wrong} | "
                     f"{sum(map(is_on_gpu, cases))} of {sum(map(has_steps, cases))} |")
    return lines


def counts_on_gpu(report):
    """By operator, "cases on the GPU of cases with steps"; operators without either are missing."""
    counts = collections.defaultdict(lambda: [0, 0])
    for case in report["cases"].values():
        if has_steps(case):
            for operator in case["operators"]:
                counts[operator][0] += is_on_gpu(case)
                counts[operator][1] += 1
    return {operator: f"{there} of {all_cases}" for operator, (there, all_cases) in counts.items()}


def versions_text(ranges):
    """Opsets of one operator: "7 to 21". Ranges that follow each other are one."""
    merged = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1][1] = max(last, merged[-1][1])
        else:
            merged.append([first, last])
    return ", ".join(f"{first} to {last}" for first, last in merged)


def reason_of(message, operator):
    """The reason for which a case was refused, without file and node; "" if it is about another operator."""
    found = re.search(rf"{operator} x \d+: (.*?) \((?:the node of|node) '", message)
    if found:
        return found[1].split("; ")[0] if "has to be a constant" not in found[1] else ""
    if "element type" in message and "not supported" in message:
        return message[message.index("element type"):].split(";")[0]
    return ""


def remarks_of(cases, operator):
    constants, reasons = set(), set()
    for case in cases:
        if case["outcome"] == "refused":
            reasons.add(reason_of(case["message"], operator))
        if case["outcome"] == "pass" and len(case["operators"]) == 1:
            constants.update(case["constant_inputs"])
    remarks = sorted(reason for reason in reasons if reason)[:3]
    if constants:
        remarks.insert(0, "constant: " + ", ".join(f"`{name}`" for name in sorted(constants)))
    return "; ".join(remarks).replace("|", "/")


def operator_rows(report, on_vta, on_gpu):
    by_operator = collections.defaultdict(list)
    for case in report["cases"].values():
        if case["outcome"] != "skipped":
            for operator in case["operators"]:
                by_operator[operator].append(case)
    rows = []
    for operator, ranges in sorted(report["operators"].items()):
        cases = by_operator[operator]
        passed = sum(case["outcome"] == "pass" for case in cases)
        vta = on_vta.get(_QUANTISED.get(operator, operator), "")
        count = f"{passed} of {len(cases)}" if cases else "none"
        rows.append((operator, versions_text(ranges), count, vta, on_gpu.get(operator, ""), remarks_of(cases, operator)))
    return rows


def filled(names):
    """A sentence of names in lines of 120 columns at most, which are not broken inside of an entry."""
    return [line.replace("~", " ") for line in textwrap.wrap(names.replace(" (", "~(") + ".", 120)]


def missing_rows(report):
    """Operators that occur in cases and are not supported at all, with the number of cases."""
    counts = collections.Counter(
        operator for case in report["cases"].values() if case["outcome"] == "refused"
        for operator in case["operators"] if operator not in report["operators"])
    return sorted(counts.items())


def domain_groups(report):
    """Pairs of domains that have the same operators and those, as text."""
    groups = collections.defaultdict(list)
    for domain, names in report["other_domains"].items():
        groups[", ".join(names)].append(f"`{domain}`")
    return sorted((", ".join(domains), names) for names, domains in groups.items())


def page(report, on_vta, gpu_reports):
    outcomes = collections.Counter(case["outcome"] for case in report["cases"].values())
    total = sum(outcomes.values()) - outcomes["skipped"]
    lines = [f"{outcomes['pass']} of {total} cases pass, {outcomes['refused']} are refused; "
             f"{total - outcomes['pass'] - outcomes['refused']} are wrong.", "",
             "| operator | opsets | cases | VTA | GPU | remarks |", "|---|---|---|---|---|---|"]
    on_gpu = counts_on_gpu(next(iter(gpu_reports.values())))
    lines += ["| " + " | ".join(row).replace("  ", " ") + " |" for row in operator_rows(report, on_vta, on_gpu)]
    lines += ["", *gpu_lines(gpu_reports)]
    lines += ["", *_DOMAINS.splitlines()]
    for domains, names in domain_groups(report):
        lines += ["", f"{domains}:", "", *filled(names)]
    missing = ", ".join(f"{name} ({count})" for name, count in missing_rows(report))
    lines += ["", *_SIZES.splitlines()]
    lines += ["", "## Not supported", "", "These operators occur in the cases, with the number of cases:", "",
              *filled(missing)]
    return _HEAD + "\n".join(lines) + "\n"


def main():
    with tempfile.TemporaryDirectory() as folder:
        report = run_cases(folder)
        gpu_reports = {gpu: run_cases(folder, "--gpu", gpu, "--limit", "600", **{variable: driver})
                       for gpu, (_, variable, driver) in _TEST_GPUS.items()}
    _PAGE.write_text(page(report, operator_probes.operators_on_vta(_BIN), gpu_reports))


if __name__ == "__main__":
    main()
