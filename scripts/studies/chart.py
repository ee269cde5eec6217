"""Scatter and line charts as SVG files that also read well on a dark page."""

import math
from xml.sax.saxutils import escape

COLOURS = ["#2f6fb5", "#d18f00", "#3f8f4f", "#a23a92", "#14828a", "#c0504d"]
LEFT, RIGHT, TOP, BOTTOM = 78, 200, 26, 52

_STYLE = """
  text { font: 12px "DejaVu Sans", Verdana, sans-serif; fill: #1f2933; }
  .page { fill: #ffffff; } .grid { stroke: #d5dae3; } .axis { stroke: #52606d; }
  @media (prefers-color-scheme: dark) { text { fill: #e4e7eb; } .page { fill: #131a21; } .grid { stroke: #3e4c59; }
    .axis { stroke: #9aa5b1; } }
"""


class Axis:
    """Maps values to pixels, by their logarithm if `log`, the least one at the top if `down`. Ticks are round numbers."""

    def __init__(self, title, values, log=False, names=None, down=False):
        self.title, self.log, self.names, self.down = title, log, names, down
        self.least, self.most = min(values), max(values)
        if names is None:
            span = (self.most - self.least) or abs(self.most) or 1.0
            self.least, self.most = ((self.least / 1.1, self.most * 1.1) if log else
                                     (self.least - 0.05 * span, self.most + 0.05 * span))

    def place(self, value):
        """From 0 to 1."""
        f = math.log if self.log else float
        low, high = f(self.least), f(self.most)
        place = 0.5 if high == low else (f(value) - low) / (high - low)
        return 1 - place if self.down else place

    def ticks(self):
        """[(value, text)]"""
        if self.names:
            return list(enumerate(self.names))
        if self.log:
            powers = range(math.floor(math.log10(self.least)), math.ceil(math.log10(self.most)) + 1)
            values = [m * 10.0**p for p in powers for m in (1, 2, 5)]
        else:
            step = 10 ** math.floor(math.log10((self.most - self.least) / 4))
            step *= next(m for m in (1, 2, 5, 10) if (self.most - self.least) / (m * step) <= 6)
            values = [i * step for i in range(math.ceil(self.least / step), math.floor(self.most / step) + 1)]
        return [(v, f"{v:,.0f}" if v >= 1000 else f"{v:.6g}") for v in values if self.least <= v <= self.most]


class Chart:
    """Series over two axes. `title` is read to people who do not see the picture."""

    def __init__(self, title, x, y, width=860, height=420):
        self.title, self.x, self.y, self.width, self.height = title, x, y, width, height
        self._shapes, self._legend = [], []
        self._frame()

    def _at(self, x, y):
        return (LEFT + self.x.place(x) * (self.width - LEFT - RIGHT),
                self.height - BOTTOM - self.y.place(y) * (self.height - TOP - BOTTOM))

    def _text(self, x, y, text, anchor="start"):
        self._shapes.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>')

    def _line(self, x1, y1, x2, y2, kind):
        self._shapes.append(f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>')

    def _frame(self):
        right, bottom = self.width - RIGHT, self.height - BOTTOM
        for value, text in self.x.ticks():
            place = LEFT + self.x.place(value) * (right - LEFT)
            self._line(place, TOP, place, bottom, "grid")
            self._text(place, bottom + 16, text, "middle")
        for value, text in self.y.ticks():
            place = bottom - self.y.place(value) * (bottom - TOP)
            self._line(LEFT, place, right, place, "grid")
            self._text(LEFT - 6, place + 4, text, "end")
        self._line(LEFT, TOP, LEFT, bottom, "axis")
        self._line(LEFT, bottom, right, bottom, "axis")
        self._text((LEFT + right) / 2, self.height - 12, self.x.title, "middle")
        self._text(LEFT - 60, TOP - 10, self.y.title)

    def _name(self, name, colour):
        if name is None:
            return
        place = TOP + 18 * len(self._legend) + 8
        self._legend.append(name)
        self._shapes.append(f'<rect x="{self.width - RIGHT + 14}" y="{place - 9}" width="10" height="10" fill="{colour}"/>')
        self._text(self.width - RIGHT + 30, place, name)

    def points(self, points, colour, name=None, radius=4, opacity=1.0):
        for x, y in points:
            px, py = self._at(x, y)
            self._shapes.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="{radius}" fill="{colour}" fill-opacity="{opacity}"/>')
        self._name(name, colour)

    def line(self, points, colour, name=None, steps=False):
        """A line through `points`; with `steps` the staircase of a Pareto front."""
        places = []
        for x, y in points:
            px, py = self._at(x, y)
            if steps and places:
                places.append((px, places[-1][1]))
            places.append((px, py))
        path = " ".join(f"{px:.1f},{py:.1f}" for px, py in places)
        self._shapes.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        self._name(name, colour)

    def range(self, x, low, high, colour):
        """A vertical bar from `low` to `high`."""
        (px, bottom), (_, top) = self._at(x, low), self._at(x, high)
        self._shapes.append(f'<line x1="{px:.1f}" y1="{bottom:.1f}" x2="{px:.1f}" y2="{top:.1f}" stroke="{colour}" '
                            f'stroke-width="3" stroke-opacity="0.5"/>')

    def svg(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
                f'viewBox="0 0 {self.width} {self.height}" role="img">\n<title>{escape(self.title)}</title>\n'
                f"<style>{_STYLE}</style>\n<rect class=\"page\" width=\"{self.width}\" height=\"{self.height}\"/>\n"
                + "\n".join(self._shapes) + "\n</svg>\n")
