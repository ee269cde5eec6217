"""How full a netlist makes a device, and the corner of the estimate that goes with it."""

import collections
import importlib.machinery
import importlib.util
import pathlib

SYNTH = pathlib.Path(__file__).resolve().parents[1] / "synth"  # the command, which counts what cells take

# From which share of the device's LUTs on a corner counts. The cores of "calibrated" are single ones on nearly empty
# devices; "full" is for devices that are three quarters full.
CORNER_FROM = (("full", 0.75), ("typical", 0.5), ("calibrated", 0.0))


def used_by(netlist):
    """What the netlist's cells take of a device: LUTs, flip-flops, DSP blocks, block RAMs and UltraRAMs. Raises
    SynthesisError for cells of unknown size."""
    loader = importlib.machinery.SourceFileLoader("synth", str(SYNTH))
    counter = importlib.util.module_from_spec(importlib.util.spec_from_loader("synth", loader))
    loader.exec_module(counter)
    return counter.resources(collections.Counter(cell.type for cell in netlist.cells))


def corner_of(lut_share):
    """The corner for a device whose LUTs are in use by this share."""
    return next(corner for corner, least in CORNER_FROM if lut_share >= least)
