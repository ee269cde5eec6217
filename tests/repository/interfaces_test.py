"""How much of the public interfaces has a comment that Doxygen finds, in headers of the folders below."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

from source_tree import ROOT

# Folders, and the share of their public declarations that has a comment.
_LEAST_SHARE = {"sim": 0.75, "explore/workers": 0.75, "api": 0.75}

# Headers with /* comments */, which Doxygen reads through a filter, as for the site.
_PLAIN_C = ("vta.h", "vta_model.h")
_OPTIONS = f"""
RECURSIVE = YES
FILE_PATTERNS = *.h *.hpp
EXCLUDE_PATTERNS = *-inl.h
EXCLUDE_SYMBOLS = *::detail *::detail::*
EXTRACT_ALL = YES
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
GENERATE_HTML = NO
GENERATE_LATEX = NO
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = VTA_API=
QUIET = YES
WARNINGS = NO
FILTER_PATTERNS = {" ".join(f'*/{name}="/usr/bin/python3 -B docs/site/doxygen_comments.py"' for name in _PLAIN_C)}
"""
_TYPES = ("class", "struct", "union")
# What the compiler or everybody knows the meaning of: these need no comment.
_KNOWN = ("~", "operator=")


def has_comment(node):
    found = [node.find(tag) for tag in ("briefdescription", "detaileddescription")]
    return any(part is not None and "".join(part.itertext()).strip() for part in found)


def is_counted(member):
    """Public, and neither a macro nor what a base class has explained or C++ defines."""
    return (member.get("prot") == "public" and member.get("kind") not in ("friend", "define") and member.find("reimplements") is None
            and not member.findtext("name").startswith(_KNOWN) and not (member.findtext("argsstring") or "").endswith(("=default", "=delete")))


def place_of(node):
    location = node.find("location")
    return f"{location.get('file')}:{location.get('line')}"


def declarations(source, root):
    """Public types, functions, fields and constants of the headers below `source`: {place and name: whether it has a
    comment}. Values of an enumeration count with it."""
    with tempfile.TemporaryDirectory() as output:
        subprocess.run(["doxygen", "-"], input=f"{_OPTIONS}INPUT = {source}\nOUTPUT_DIRECTORY = {output}\n", text=True, cwd=root,
                       check=True, capture_output=True)
        pages = [ElementTree.parse(path).getroot() for path in Path(output, "xml").glob("*.xml") if path.name != "index.xml"]
    compounds = [node for page in pages for node in page.iter("compounddef")]
    types = {node.findtext("compoundname") for node in compounds if node.get("kind") in _TYPES}
    found = {}
    for compound in compounds:
        kind, name = compound.get("kind"), compound.findtext("compoundname")
        if compound.get("prot") in ("private", "protected") or kind not in (*_TYPES, "namespace", "file"):
            continue
        if kind in _TYPES:
            found[f"{place_of(compound)} {name}"] = has_comment(compound)
        for member in filter(is_counted, compound.iter("memberdef")):
            # typedef struct x {...} x, which is there as a struct.
            if member.get("kind") == "typedef" and member.findtext("name") in types and not has_comment(member):
                continue
            found[f"{place_of(member)} {member.findtext('name')}{member.findtext('argsstring') or ''}"] = has_comment(member)
    return found


@unittest.skipUnless(shutil.which("doxygen"), "doxygen is not installed; scripts/setup installs it")
class InterfacesTest(unittest.TestCase):
    def test_what_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "a.h").write_text("/// Said.\nstruct A {\n  int x = 0;  ///< said\n  int y = 0;\n  A(const A&) = delete;\n  ~A();\n"
                                           " private:\n  int z = 0;\n  struct B { int w; };\n};\nint f();\n/// Said.\nint g(int);\n"
                                           "// Not for Doxygen.\nenum class E { kA, kB };\n")
            found = declarations(folder, ROOT)
            self.assertEqual({name.split(" ", 1)[1]: said for name, said in found.items()},
                             {"A": True, "x": True, "y": False, "f()": False, "g(int)": True, "E": False})

    def test_enough_is_explained(self):
        for folder, least in _LEAST_SHARE.items():
            with self.subTest(folder):
                found = declarations(folder, ROOT)
                self.assertGreater(len(found), 50)
                share = sum(found.values()) / len(found)
                print(f"{folder}: {share:.0%} of {len(found)} public declarations have a comment")
                missing = "\n".join(sorted(name for name, said in found.items() if not said))
                self.assertGreaterEqual(share, least, f"{folder}: {share:.0%} of the public declarations have a comment; without:\n{missing}")


if __name__ == "__main__":
    unittest.main()
