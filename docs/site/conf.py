"""How Sphinx builds the manual: scripts/site calls it with the pages that scripts/site_pages.py copied."""

from pygments.lexers.special import TextLexer

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
