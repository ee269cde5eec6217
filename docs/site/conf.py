"""How Sphinx builds the manual: scripts/site calls it with the pages that scripts/docs/site_pages.py copied."""

import sys
from pathlib import Path

from pygments.lexers.special import TextLexer

sys.path.insert(0, str(Path(__file__).parent))

from theme_files import complete_theme  # noqa: E402

project = "VTA SDK"
author = "the authors of the VTA SDK"
extensions = ["myst_parser"]
root_doc = "index"
source_suffix = {".md": "markdown"}
exclude_patterns = [".doctrees"]

myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]

html_theme = "furo"
html_title = "VTA SDK"
html_show_sphinx = False
html_copy_source = False


def setup(app):
    # Languages of our examples that Pygments does not know.
    for name in ("mlir", "vta-asm"):
        app.add_lexer(name, TextLexer)
    app.connect("build-finished", lambda built, error: error or complete_theme(Path(built.outdir) / "_static"))
