"""Completes the files of the theme Furo on the site.

Debian's package has its script as a module that imports another file, and its style sheet with an import from the root of
a web server. Browsers load neither from a site that is opened as files, or that lies below the root of a server.
"""

import re
from pathlib import Path

# Where Debian's node-normalize.css, which furo depends on, has the style sheet.
NORMALIZE = Path("/usr/share/javascript/normalize.css/normalize.css")
_SCRIPT_IMPORT = re.compile(r'^import Gumshoe from "\./gumshoe-patched\.js";$', re.MULTILINE)
_STYLE_IMPORT = re.compile(r"@import url\(/javascript/normalize\.css/normalize\.css\);")


def one_script(script, gumshoe):
    """Furo's script with what it imports, as one that is no module."""
    if not _SCRIPT_IMPORT.search(script):
        return script
    # Gumshoe makes itself a global name.
    return f"{gumshoe}\n(function () {{\n{_SCRIPT_IMPORT.sub('', script)}\n}})();\n"


def complete_theme(static, normalize=NORMALIZE):
    """Rewrites the files in the folder `static` of a site."""
    script, gumshoe = static / "scripts/furo.js", static / "scripts/gumshoe-patched.js"
    if script.exists() and gumshoe.exists():
        script.write_text(one_script(script.read_text(), gumshoe.read_text()))
    style = static / "styles/furo.css"
    if style.exists():
        text = style.read_text()
        if _STYLE_IMPORT.search(text):
            style.write_text(_STYLE_IMPORT.sub(lambda _: normalize.read_text(), text))
