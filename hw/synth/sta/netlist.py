"""A flattened Yosys netlist (write_json) as cells, nets and their drivers."""

import collections
import json
import re
from dataclasses import dataclass, field

_INDEX = re.compile(r"\[\d+\]")
CLOCK_2X = "clk2x_i"  # the port with a clock of twice the frequency of the others


@dataclass
class Cell:
    """One primitive. `inputs` and `outputs` map a port to its nets, by bit; a constant bit is None."""
    name: str
    type: str
    parameters: dict
    inputs: dict = field(default_factory=dict)
    outputs: dict = field(default_factory=dict)

    def parameter(self, key, default=0):
        """A parameter as an integer, or as text where it is none."""
        value = self.parameters.get(key, default)
        if isinstance(value, str) and re.fullmatch(r"[01]+", value):
            return int(value, 2)
        return value


class Netlist:
    """Cells by name; for each net its driving cell, fan-out and the best name that the source gave it."""

    def __init__(self, cells, inputs, names, clock_2x=None):
        self.cells = cells
        self.inputs = inputs  # nets that come from outside
        self.clock_2x = clock_2x  # the net of a clock of twice the frequency, if there is one
        self._names = names
        self.fanout = collections.Counter()
        self.driver = {}  # net -> (cell, port)
        for cell in cells:
            for bits in cell.inputs.values():
                self.fanout.update(bit for bit in bits if bit is not None)
            for port, bits in cell.outputs.items():
                for bit in bits:
                    if bit is not None:
                        self.driver[bit] = (cell, port)

    def name(self, net):
        """The name of a net, or None if the source has no name for it."""
        return self._names.get(net)

    def nearest_name(self, net):
        """The name of a net, or that of the cell which drives it."""
        if net in self._names:
            return self._names[net]
        return self.driver[net][0].name if net in self.driver else f"net {net}"


def without_index(name):
    """`a.b[3]` as `a.b[]`, so that the bits of a bus count as one."""
    return _INDEX.sub("[]", name)


def read_netlist(path, top):
    """Reads module `top` of the JSON file. Raises KeyError where there is no such module."""
    module = json.loads(path.read_text())["modules"][top]
    cells = []
    for name, entry in module["cells"].items():
        cell = Cell(name, entry["type"], entry.get("parameters", {}))
        for port, bits in entry["connections"].items():
            side = cell.outputs if entry["port_directions"][port] == "output" else cell.inputs
            side[port] = [bit if isinstance(bit, int) else None for bit in bits]
        cells.append(cell)
    inputs = {bit for port in module["ports"].values() if port["direction"] == "input"
              for bit in port["bits"] if isinstance(bit, int)}
    clock_2x = next((bit for bit in module["ports"].get(CLOCK_2X, {}).get("bits", ()) if isinstance(bit, int)), None)
    return Netlist(cells, inputs, _best_names(module["netnames"]), clock_2x)


def _best_names(netnames):
    """For each net the shortest name that a person wrote."""
    best = {}
    for name, entry in netnames.items():
        if entry.get("hide_name", 0):
            continue
        for index, bit in enumerate(entry["bits"]):
            if isinstance(bit, int) and (bit not in best or len(name) < len(best[bit][0])):
                best[bit] = (name, name if len(entry["bits"]) == 1 else f"{name}[{index}]")
    return {bit: full for bit, (_, full) in best.items()}
