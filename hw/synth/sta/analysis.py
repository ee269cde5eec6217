"""Arrival times over a netlist, and the longest path to each end point."""

import math
from dataclasses import dataclass

from . import cells

# From outside the core: half a clock goes to what is around it, as if the signal came from a register there.
_INPUT_ARRIVAL_PS = 1000


@dataclass(frozen=True)
class Path:
    """The longest path to one end point; `nets` from its start to its end, `arrivals` in ps. `delay` is what the clock's
    period has to be for it: what the path takes and what the clock loses, twice where that has half a cycle
    (`is_half`)."""
    delay: float
    end: cells.End
    nets: tuple
    arrivals: tuple
    is_half: bool = False


class Wires:
    """Delay of a net between two cells: by fan-out, and nothing where the fabric has a connection of its own."""

    def __init__(self, delays, corner):
        self._table = delays["wires"][corner]
        self._behind_carry = delays["lut_behind_carry"] - delays["lut"]

    def delay(self, source, target, port, fanout):
        """From the cell type `source` ("" for an input of the design) to `port` of the cell type `target`, in ps."""
        if source.startswith("CARRY") and target.startswith("CARRY") and port == "CI":
            return 0
        if source.startswith("LUT") and target.startswith("CARRY") and port == "S":
            return 0  # in the same slice
        if target.startswith("MUXF") and port != "S":
            return 0
        if source.startswith("LUT") and target.startswith("FD") and port == "D" and fanout == 1:
            return 0  # in the same slice
        if source.startswith("DSP") and target.startswith("DSP") and port == "PCIN":
            return 0
        delay = self._table["base"] + self._table["slope"] * math.log2(max(1, fanout))
        if source.startswith(("RAMB", "DSP", "URAM")) or target.startswith(("RAMB", "DSP", "URAM")):
            delay += self._table["block_extra"]
        if source.startswith("CARRY") and target.startswith("LUT"):
            delay += self._behind_carry
        return delay


class _Arrivals:
    """When nets are stable, in ps after the clock, on the longest ways from some starts. `otherwise` is the time of nets
    that no start reaches."""

    def __init__(self, arcs, starts, wire, otherwise):
        self._arcs = arcs
        self._starts = starts
        self._wire = wire
        self._otherwise = otherwise
        self._arrival = {}
        self._previous = {}

    def at(self, net):
        """The time of `net` at its driver."""
        pending = [net]
        while pending:
            at = pending[-1]
            if at in self._arrival:
                pending.pop()
                continue
            arcs = self._arcs.get(at, ())
            missing = [source for source, *_ in arcs if source not in self._arrival]
            if missing:
                pending += missing
                continue
            best, previous = self._starts.get(at, self._otherwise), None
            for source, cell_type, port, delay in arcs:
                time = self._arrival[source] + self._wire(source, cell_type, port) + delay
                if time > best:
                    best, previous = time, source
            self._arrival[at], self._previous[at] = best, previous
            pending.pop()
        return self._arrival[net]

    def path_to(self, net):
        """The nets on the longest way to `net`, and their times."""
        nets = []
        while net is not None:
            nets.append(net)
            net = self._previous[net]
        nets.reverse()
        return tuple(nets), tuple(self._arrival[net] for net in nets)


class Analysis:
    """Arrival times of all nets of a netlist. Paths that begin or end at a register of the clock of twice the frequency
    have half a cycle. The clock's uncertainty and skew are a part of every path. Signals from outside arrive
    `input_arrival` ps after the clock. Raises cells.UnknownCell."""

    def __init__(self, netlist, delays, corner, input_arrival=_INPUT_ARRIVAL_PS):
        self._netlist = netlist
        self._wires = Wires(delays, corner)
        self._clock_loss = sum(delays["clock"].values())
        self._arcs = {}  # net -> [(source net, cell type, port, delay)]
        self.ends = []
        starts = dict.fromkeys(netlist.inputs, input_arrival)
        half_starts = {}
        for cell in netlist.cells:
            timing = cells.timing_of(cell, delays)
            starts.update(timing.starts)
            if self._is_fast(cell):
                half_starts.update(timing.starts)
            self.ends += timing.ends
            self._add_arcs(cell, timing.arcs)
        self._all = _Arrivals(self._arcs, starts, self._wire, 0)
        self._half = _Arrivals(self._arcs, half_starts, self._wire, -math.inf) if half_starts else None

    def _is_fast(self, cell):
        clock = self._netlist.clock_2x
        return clock is not None and any(clock in bits for bits in cell.inputs.values())

    def _add_arcs(self, cell, arcs):
        ports = {bit: port for port, bits in cell.inputs.items() for bit in bits if bit is not None}
        for arc in arcs:
            self._arcs.setdefault(arc.target, []).append((arc.source, cell.type, ports[arc.source], arc.delay))

    def _wire(self, net, target_type, port):
        driver = self._netlist.driver.get(net)
        return self._wires.delay(driver[0].type if driver else "", target_type, port, self._netlist.fanout[net])

    def _longest_to(self, end):
        """(the period that the longest path to `end` needs, whether that path has half a cycle)."""
        behind = self._wire(end.net, end.cell.type, end.port) + end.setup + self._clock_loss
        delay = self._all.at(end.net) + behind
        if self._is_fast(end.cell):
            return 2 * delay, True
        half = 2 * (self._half.at(end.net) + behind) if self._half else -math.inf
        return (half, True) if half > delay else (delay, False)

    def longest_paths(self):
        """The longest path to each end point, the longest first."""
        timed = [(*self._longest_to(end), index) for index, end in enumerate(self.ends)]
        timed.sort(key=lambda entry: (-entry[0], entry[2]))
        return (self._path(delay, is_half, self.ends[index]) for delay, is_half, index in timed)

    def _path(self, delay, is_half, end):
        arrivals = self._half if is_half and not self._is_fast(end.cell) else self._all
        return Path(delay, end, *arrivals.path_to(end.net), is_half)
