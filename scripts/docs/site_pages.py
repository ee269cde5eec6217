"""Copies the manual's pages to a folder from which Sphinx builds the site.

Usage: scripts/docs/site_pages.py FOLDER

The pages are written for a reader of the repository. The copies differ in three things: docs/ is the top folder, a link
to a file that is no page becomes that file's path, and the index gets the tables of contents that Sphinx wants, in the
order of its own links.
"""

import posixpath
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INDEX = "docs/README.md"
_OUTER_PAGES = {"README.md": "overview.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md",
                "SECURITY.md": "security.md"}
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)


def site_paths():
    """{page, as a path from the root of the repository: its path on the site}."""
    inner = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").rglob("*.md"))]
    return _OUTER_PAGES | {page: page.removeprefix("docs/") for page in inner} | {INDEX: "index.md"}


def site_link(page, link, paths):
    """What `link` on `page` is on the site, or None for a link to a file that is no page."""
    target, anchor = (link.split("#", 1) + [""])[:2]
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
    if path not in paths:
        return None
    relative = posixpath.relpath(paths[path], posixpath.dirname(paths[page]) or ".")
    return f"{relative}#{anchor}" if anchor else relative


def picture_link(page, link, paths):
    """What a link to a picture on `page` is on the site; pictures lie in docs/pictures."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), link)).removeprefix("docs/")
    return posixpath.relpath(path, posixpath.dirname(paths[page]) or ".")


def with_links_of_the_site(page, text, paths):
    """`text` with links to pages and pictures as the site has them, and without links to other files."""
    def replace(match):
        image, label, link = match.groups()
        if "://" in link or link.startswith("#"):
            return match.group(0)
        if image:
            return f"![{label}]({picture_link(page, link, paths)})"
        target = site_link(page, link, paths)
        return f"[{label}]({target})" if target else label

    return _LINK.sub(replace, text)


def tables_of_contents(text):
    """Sphinx's toctrees: one for each section of the index, with the section's pages in their order."""
    parts = _SECTION.split(text)
    listed, trees = set(), []
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        entries = []
        for _, _, link in _LINK.findall(body):
            path = link.split("#")[0]
            if path.endswith(".md") and "://" not in path and path not in listed:
                listed.add(path)
                entries.append(path.removesuffix(".md"))
        trees.append(f"```{{toctree}}\n:hidden:\n:caption: {title}\n\n" + "\n".join(entries) + "\n```\n")
    return "\n" + "\n".join(trees)


def site_text(page, paths):
    """The text of `page` for the site."""
    text = with_links_of_the_site(page, (ROOT / page).read_text(), paths)
    return text + tables_of_contents(text) if page == INDEX else text


def main():
    if len(sys.argv) != 2:
        print("site_pages: error: expected one folder (see the head of the script)", file=sys.stderr)
        return 2
    folder = Path(sys.argv[1])
    paths = site_paths()
    for page, path in paths.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(site_text(page, paths))
    shutil.copytree(ROOT / "docs/pictures", folder / "pictures", dirs_exist_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
