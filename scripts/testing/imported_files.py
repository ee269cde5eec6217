"""Which files of the tree a Python script is made of: it, and what it imports of ours.

A module is found beside what imports it, or in a folder that scripts put on their path (MODULE_FOLDERS). Names of modules
in these folders are unique, so that no order of them matters.
"""

import functools
import re

MODULE_FOLDERS = ("scripts", "scripts/*", "tests/tools/cases", "docs/site")

_IMPORT = re.compile(r"^\s*(?:import|from) (\w+)", re.MULTILINE)


@functools.cache
def modules_in(folder):
    """The modules of a folder, {name: files}: a package has several."""
    packages = {path.parent.name: sorted(path.parent.glob("*.py")) for path in folder.glob("*/__init__.py")}
    return packages | {path.stem: [path] for path in folder.glob("*.py") if path.name != "__init__.py"}


@functools.cache
def shared_modules(root):
    """The modules of all MODULE_FOLDERS of the tree at `root`."""
    folders = [folder for pattern in MODULE_FOLDERS for folder in sorted(root.glob(pattern))]
    return {name: files for folder in folders if not (folder / "__init__.py").exists() for name, files in modules_in(folder).items()}


def _direct_imports(script, root):
    beside, shared = modules_in(script.parent), shared_modules(root)
    return [file for name in _IMPORT.findall(script.read_text()) for file in beside.get(name, shared.get(name, []))]


def imported_files(script, root):
    """`script` and all that it imports, directly or not, of the tree at `root`; absolute paths."""
    found, waiting = set(), [script]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            if path.suffix == ".py":
                waiting += _direct_imports(path, root)
    return found
