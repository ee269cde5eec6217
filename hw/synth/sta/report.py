"""Paths and frequencies in words."""

import collections
import re

from .netlist import without_index

_LEVEL = re.compile(r"\d+$")


def module_of(name):
    """The instances that a flattened name goes through, without what is inside the last one: u_compute.u_gemm."""
    return name.rpartition(".")[0] or "(top)"


class PathText:
    """Words for the paths of one netlist."""

    def __init__(self, netlist):
        self._netlist = netlist

    def start(self, path):
        return without_index(self._netlist.nearest_name(path.nets[0]))

    def end(self, path):
        outputs = [bit for bits in path.end.cell.outputs.values() for bit in bits if bit is not None]
        named = [bit for bit in outputs if self._netlist.name(bit)]
        name = self._netlist.name(named[0]) if named else path.end.cell.name
        return without_index(name)

    def levels(self, path):
        """What the path passes, by kind: {"LUT": 5, "CARRY": 3}."""
        kinds = [_LEVEL.sub("", self._netlist.driver[net][0].type) for net in path.nets[1:]]
        return dict(collections.Counter(kinds))

    def modules(self, path):
        """The modules on the way, each once in a row."""
        names = [self._netlist.name(net) for net in path.nets]
        found = [module_of(name) for name in names if name] + [module_of(self.end(path))]
        return [name for i, name in enumerate(found) if i == 0 or name != found[i - 1]]

    def steps(self, path):
        """Named nets on the way: (name, arrival in ps, fan-out)."""
        steps = []
        for net, arrival in zip(path.nets, path.arrivals):
            name = self._netlist.name(net)
            if name and (not steps or steps[-1][0] != without_index(name)):
                steps.append((without_index(name), round(arrival), self._netlist.fanout[net]))
        return steps


def group_of(path, text):
    """(module where the path starts, module where it ends)."""
    return module_of(text.start(path)), module_of(text.end(path))


def distinct_paths(paths, text, count):
    """The longest paths, one for each pair of start and end that differ in more than a bit."""
    seen, chosen = set(), []
    for path in paths:
        key = (text.start(path), text.end(path), path.end.port)
        if key in seen:
            continue
        seen.add(key)
        chosen.append(path)
        if len(chosen) == count:
            break
    return chosen


def longest_by_group(paths, text):
    """The longest delay of each group, in ps, the longest first."""
    longest = {}
    for path in paths:
        longest.setdefault(group_of(path, text), path.delay)
    return sorted(longest.items(), key=lambda entry: -entry[1])


def path_as_data(path, text):
    """One path for JSON."""
    return {"delay_ns": round(path.delay / 1000, 3), "is_half_a_cycle": path.is_half, "start": text.start(path), "end": text.end(path),
            "end_port": path.end.port, "levels": text.levels(path), "modules": text.modules(path),
            "steps": [{"net": name, "arrival_ns": arrival / 1000, "fanout": fanout}
                      for name, arrival, fanout in text.steps(path)]}


def path_as_text(data):
    levels = ", ".join(f"{count} {kind}" for kind, count in data["levels"].items()) or "none"
    steps = "\n".join(f"           {step['arrival_ns']:6.2f} ns  {step['net']} (fan-out {step['fanout']})"
                      for step in data["steps"])
    half = " (twice the path's: it has half a cycle)" if data["is_half_a_cycle"] else ""
    return (f"{data['delay_ns']:7.2f} ns{half}  from {data['start']}\n            to {data['end']}, {data['end_port']}\n"
            f"            cells: {levels}\n{steps}\n")
