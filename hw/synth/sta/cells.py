"""Timing arcs of the primitives of 7-series and UltraScale+ devices, from the table delays.json."""

import json
import pathlib
import re
from dataclasses import dataclass

_TABLE = pathlib.Path(__file__).with_name("delays.json")
_FLIP_FLOP = re.compile(r"FD[RSCP]E(_1)?$")
_LUT = re.compile(r"LUT[1-6]$")
_RESETS = ("R", "S", "CLR", "PRE")
_WIDE_MUX = {"MUXF7": "mux7", "MUXF8": "mux8", "MUXF9": "mux9"}
_IGNORED = ("BUFG", "IBUF", "OBUF", "$scopeinfo", "$print", "INV")


class UnknownCell(Exception):
    """A primitive whose timing the table does not give."""


@dataclass(frozen=True)
class Arc:
    """From an input through the cell to an output, in ps."""
    source: int
    target: int
    delay: int


@dataclass(frozen=True)
class End:
    """A net that has to arrive `setup` ps before the clock at `port` of `cell`."""
    net: int
    cell: object
    port: str
    setup: int


@dataclass
class Timing:
    """What one cell contributes: outputs that start paths (net -> ps after the clock), arcs, and ends of paths."""
    starts: dict
    arcs: list
    ends: list


def read_wire_factor():
    """How long wires take in the corner "calibrated", as a multiple of those of "typical"."""
    return json.loads(_TABLE.read_text())["calibration"]["wire_factor"]


def read_delays(family, wire_factor=None):
    """The table of a device family, "xc7" or "xcup". Its corner "calibrated" has the wires of "typical" times
    `wire_factor`, by default the table's own."""
    table = json.loads(_TABLE.read_text())[family]
    factor = read_wire_factor() if wire_factor is None else wire_factor
    table["wires"]["calibrated"] = {key: factor * delay for key, delay in table["wires"]["typical"].items()}
    return table


def timing_of(cell, delays):
    """The timing of a cell. Raises UnknownCell."""
    for matches, build in _BUILDERS:
        if matches(cell.type):
            return build(cell, delays)
    raise UnknownCell(cell.type)


def _bits(ports, name):
    return [bit for bit in ports.get(name, []) if bit is not None]


def _all_bits(ports):
    return [bit for bits in ports.values() for bit in bits if bit is not None]


def _ends(cell, port, setup):
    return [End(bit, cell, port, setup) for bit in _bits(cell.inputs, port)]


def _through(cell, port, outputs, delay):
    return [Arc(bit, output, delay) for bit in _bits(cell.inputs, port) for output in outputs]


def _nothing(cell, _):
    return Timing({}, _through(cell, "I", _bits(cell.outputs, "O"), 0), [])


def _flip_flop(cell, delays):
    table = delays["ff"]
    ends = _ends(cell, "D", table["setup_data"]) + _ends(cell, "CE", table["setup_enable"])
    for port in _RESETS:
        ends += _ends(cell, port, table["setup_reset"])
    return Timing({bit: table["clock_to_q"] for bit in _bits(cell.outputs, "Q")}, [], ends)


def _lut(cell, delays):
    outputs = _bits(cell.outputs, "O")
    return Timing({}, [arc for port in cell.inputs for arc in _through(cell, port, outputs, delays["lut"])], [])


def _wide_mux(cell, delays):
    table = delays[_WIDE_MUX[cell.type]]
    outputs = _bits(cell.outputs, "O")
    arcs = [arc for port in cell.inputs
            for arc in _through(cell, port, outputs, table["select" if port == "S" else "data"])]
    return Timing({}, arcs, [])


def _carry(cell, delays):
    arcs = []
    for out in ("CO", "O"):
        table = delays["carry"][out]
        for j, target in enumerate(cell.outputs.get(out, [])):
            if target is None:
                continue
            for port in ("CI", "CYINIT"):
                arcs += [Arc(bit, target, table[port][j]) for bit in _bits(cell.inputs, port)]
            for port in ("S", "DI"):
                sources = cell.inputs.get(port, [])
                arcs += [Arc(source, target, delay) for source, delay in zip(sources, table[port][j])
                         if source is not None]
    return Timing({}, arcs, [])


def _block_ram(cell, delays):
    table = delays["bram"]
    starts, ends = {}, []
    for port in cell.outputs:
        registered = cell.parameter("DOB_REG" if "DOUTB" in port or port.startswith("DOB") else "DOA_REG")
        delay = table["clock_to_out_registered" if registered else "clock_to_out"]
        starts.update(dict.fromkeys(_bits(cell.outputs, port), delay))
    for port in cell.inputs:
        if "CLK" in port:
            continue
        kind = ("setup_address" if "ADDR" in port else "setup_write_enable" if port.startswith("WE")
                else "setup_data" if port.startswith("DI") else "setup_enable")
        ends += _ends(cell, port, table[kind])
    return Timing(starts, [], ends)


def _lut_ram(cell, delays):
    """Distributed RAM: read at once, written at the clock."""
    table = delays["lutram"]
    outputs = _all_bits(cell.outputs)
    arcs, ends = [], []
    for port in cell.inputs:
        if "CLK" in port:
            continue
        if port.startswith("WE"):
            ends += _ends(cell, port, table["setup_write_enable"])
        elif port.startswith("D") and not port.startswith("DPRA"):
            ends += _ends(cell, port, table["setup_data"])
        else:
            arcs += _through(cell, port, _read_by(cell, port), table["address_to_out"])
            ends += _ends(cell, port, table["setup_address"])
    return Timing(dict.fromkeys(outputs, table["clock_to_out"]), arcs, ends)


def _read_by(cell, port):
    """The outputs that an address reads: ADDRB reads DOB; A reads O or SPO, DPRA reads DPO."""
    if port.startswith("ADDR"):
        return _bits(cell.outputs, "DO" + port[len("ADDR"):])
    if port.startswith("DPRA"):
        return _bits(cell.outputs, "DPO")
    return [bit for name in cell.outputs if name != "DPO" for bit in _bits(cell.outputs, name)]


def _shift_register(cell, delays):
    table = delays["shift_register"]
    outputs = _all_bits(cell.outputs)
    arcs = [arc for port in cell.inputs if port.startswith("A")
            for arc in _through(cell, port, outputs, table["address_to_out"])]
    ends = _ends(cell, "D", table["setup_data"]) + _ends(cell, "CE", table["setup_enable"])
    return Timing(dict.fromkeys(outputs, table["clock_to_out"]), arcs, ends)


def _dsp(cell, delays):
    """A DSP block: which registers it has decides what its ports mean."""
    table = delays["dsp"]
    has = {name: bool(cell.parameter(name)) for name in ("AREG", "BREG", "CREG", "DREG", "MREG", "PREG")}
    outputs = _all_bits(cell.outputs)
    if has["PREG"]:
        starts = dict.fromkeys(outputs, table["p_to_out"])
    elif has["MREG"]:
        starts = dict.fromkeys(outputs, table["m_to_out"])
    elif has["AREG"] or has["BREG"]:
        starts = dict.fromkeys(outputs, table["ab_to_out"])
    else:
        starts = {}
    timing = Timing(starts, [], [])
    for port, register in (("A", "AREG"), ("B", "BREG"), ("D", "DREG")):
        through = table["b_through" if port == "B" else "a_through"]
        _dsp_operand(cell, timing, port, has[register], has, through, table)
    _dsp_addend(cell, timing, "C", has["CREG"], has["PREG"], (table["setup_c_to_p"], table["c_through"]), table)
    _dsp_addend(cell, timing, "PCIN", False, has["PREG"], (table["setup_pcin_to_p"], table["pcin_through"]), table)
    for port in cell.inputs:
        if port.startswith(("CE", "RST")):
            timing.ends += _ends(cell, port, table["setup_control"])
        # An addend that changes from cycle to cycle. The registers of this port are in use nowhere.
        if port == "OPMODE" and has["PREG"]:
            timing.ends += _ends(cell, port, table["setup_opmode_to_p"])
    return timing


def _dsp_operand(cell, timing, port, registered, has, through, table):
    if registered:
        timing.ends += _ends(cell, port, table["setup_register"])
    elif has["MREG"]:
        timing.ends += _ends(cell, port, table["setup_a_to_m"])
    elif has["PREG"]:
        timing.ends += _ends(cell, port, table["setup_a_to_p"])
    else:
        timing.arcs += _through(cell, port, _all_bits(cell.outputs), through)


def _dsp_addend(cell, timing, port, registered, output_registered, to_output, table):
    setup, through = to_output
    if registered:
        timing.ends += _ends(cell, port, table["setup_register"])
    elif output_registered:
        timing.ends += _ends(cell, port, setup)
    else:
        timing.arcs += _through(cell, port, _all_bits(cell.outputs), through)


_BUILDERS = (
    (_FLIP_FLOP.match, _flip_flop),
    (_LUT.match, _lut),
    (_WIDE_MUX.__contains__, _wide_mux),
    (("CARRY4", "CARRY8").__contains__, _carry),
    (lambda name: name.startswith(("RAMB", "URAM")), _block_ram),
    (lambda name: name.startswith("RAM"), _lut_ram),
    (lambda name: name.startswith("SRL"), _shift_register),
    (lambda name: name.startswith("DSP"), _dsp),
    (_IGNORED.__contains__, _nothing),
)
