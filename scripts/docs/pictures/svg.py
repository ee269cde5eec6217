"""A picture of boxes, arrows and texts, as an SVG file that also reads well on a dark page.

Coordinates are pixels from the top left corner. Texts of several lines are split at line ends.
"""

from xml.sax.saxutils import escape

LINE = 16  # pixels from one line of text to the next

_STYLE = """
  text { font: 13px "DejaVu Sans", Verdana, sans-serif; fill: #1f2933; }
  .small { font-size: 11px; } .mono { font-family: "DejaVu Sans Mono", monospace; font-size: 12px; }
  .bold { font-weight: bold; } .middle { text-anchor: middle; } .end { text-anchor: end; } .faint { fill: #52606d; }
  rect { fill: #ffffff; stroke: #52606d; stroke-width: 1.2; }
  rect.unit { fill: #d9e8fb; stroke: #2f6db5; } rect.memory { fill: #e3f3e1; stroke: #3b8a3a; }
  rect.queue { fill: #fdf0d5; stroke: #b97d10; } rect.outside { fill: #eceff2; stroke: #7b8794; }
  rect.group { fill: none; stroke: #9aa5b1; stroke-dasharray: 5 4; } rect.page { fill: #ffffff; stroke: none; }
  rect.load { fill: #2f6db5; stroke: none; } rect.gemm { fill: #3b8a3a; stroke: none; }
  rect.alu { fill: #b97d10; stroke: none; } rect.store { fill: #a23b72; stroke: none; }
  path { fill: none; stroke: #52606d; stroke-width: 1.4; } path.token { stroke: #b97d10; stroke-dasharray: 5 3; }
  path.grid { stroke: #cbd2d9; stroke-width: 1; } .head { fill: #52606d; stroke: none; } .tokenhead { fill: #b97d10; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e4e7eb; } .faint { fill: #9aa5b1; } rect { fill: #1f2933; stroke: #9aa5b1; }
    rect.page { fill: #131a21; } rect.unit { fill: #1b3a5c; } rect.memory { fill: #1d3f24; }
    rect.queue { fill: #4a3a15; } rect.outside { fill: #323f4b; } path { stroke: #9aa5b1; } .head { fill: #9aa5b1; }
    path.grid { stroke: #3e4c59; }
  }
"""


def _number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


class Picture:
    """Collects shapes; `svg` gives the file's text. `title` is read to people who do not see the picture."""

    def __init__(self, width, height, title):
        self.width, self.height, self.title = width, height, title
        self._shapes = []
        self.texts_that_do_not_fit = []

    def rect(self, x, y, width, height, kind="", radius=4):
        self._shapes.append(f'<rect class="{kind}" x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" '
                            f'height="{_number(height)}" rx="{radius}"/>')

    def text(self, x, y, text, kind=""):
        """Text whose first line stands on y."""
        for i, line in enumerate(text.split("\n")):
            if self._right_end(x, line, kind) > self.width:
                self.texts_that_do_not_fit.append(line)
            self._shapes.append(f'<text class="{kind}" x="{_number(x)}" y="{_number(y + i * LINE)}">'
                                f"{escape(line)}</text>")

    @staticmethod
    def _right_end(x, line, kind):
        """Where a line of text ends, for letters of average width."""
        kinds = kind.split()
        letter = 6.2 if "small" in kinds else 8.2 if "bold" in kinds else 7.4
        width = letter * len(line)
        return x if "end" in kinds else x + width / 2 if "middle" in kinds else x + width

    def box(self, x, y, width, height, text, kind="", text_kind=""):
        """A rectangle with its text in the middle."""
        self.rect(x, y, width, height, kind)
        first = y + height / 2 - (text.count("\n") * LINE) / 2 + 4.5
        self.text(x + width / 2, first, text, f"middle {text_kind}".strip())

    def arrow(self, points, text="", kind="", at=None, text_kind="small"):
        """A line through `points` with a head at its end; `at` is where its text stands."""
        path = " ".join(f"{'M' if i == 0 else 'L'}{_number(x)} {_number(y)}" for i, (x, y) in enumerate(points))
        head = "tokenhead" if kind == "token" else "arrowhead"
        self._shapes.append(f'<path class="{kind}" d="{path}" marker-end="url(#{head})"/>')
        if text:
            self.text(*(at or points[0]), text, text_kind)

    def line(self, x1, y1, x2, y2, kind="grid"):
        self._shapes.append(f'<path class="{kind}" d="M{_number(x1)} {_number(y1)} L{_number(x2)} {_number(y2)}"/>')

    def svg(self):
        heads = "".join(f'<marker id="{name}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
                        f'orient="auto-start-reverse"><path class="{kind}" d="M0 0 L10 5 L0 10 z"/></marker>'
                        for name, kind in (("arrowhead", "head"), ("tokenhead", "head tokenhead")))
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
                f'viewBox="0 0 {self.width} {self.height}" role="img">\n<title>{escape(self.title)}</title>\n'
                f"<style>{_STYLE}</style>\n<defs>{heads}</defs>\n"
                f'<rect class="page" x="0" y="0" width="{self.width}" height="{self.height}"/>\n'
                + "\n".join(self._shapes) + "\n</svg>\n")
