"""What scripts/release does; its head explains the command."""

import argparse
import datetime
import hashlib
import os
import pathlib
import re
import subprocess
import sys

from bill_of_materials import bill_of_materials, write_json

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGETS = ("armv7", "aarch64")
UNRELEASED = "not released yet"


class ReleaseError(Exception):
    """The release cannot be made; the message says why, and what to do."""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        print(f"release: error: {message} (see scripts/release --help)", file=sys.stderr)
        sys.exit(2)


def parse_arguments():
    parser = Parser(prog="release", add_help=False)
    parser.add_argument("version")
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--dry-run", action="store_true")
    return parser.parse_args()


def git(*arguments):
    result = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise ReleaseError(f"git {arguments[0]}: {result.stderr.strip()}")
    return result.stdout.strip()


def numbers_of(version):
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise ReleaseError(f"'{version}' is no version; three numbers are expected, as 1.2.0")
    return tuple(int(number) for number in version.split("."))


def check_repository(version):
    """The version follows the newest tag, and nothing is changed that is not committed."""
    changed = git("status", "--porcelain")
    if changed:
        raise ReleaseError(f"there are changes that are not committed; commit or remove them first:\n{changed}")
    tags = [tag[1:] for tag in git("tag", "--list", "v*").split() if re.fullmatch(r"v\d+\.\d+\.\d+", tag)]
    newest = max(tags, key=numbers_of, default=None)
    if newest and numbers_of(version) <= numbers_of(newest):
        raise ReleaseError(f"{version} does not follow {newest}, the newest tag")


def dated(changelog, version, date):
    """The text of CHANGELOG.md with a date where its newest section says that it is not released."""
    heading = re.search(r"^## (.*)$", changelog, re.M)
    if heading is None or heading[1] != f"{version}, {UNRELEASED}":
        raise ReleaseError(f"CHANGELOG.md: its newest section is '{heading[1] if heading else 'none'}', not "
                           f"'{version}, {UNRELEASED}'; say there what users notice")
    return changelog[:heading.start()] + f"## {version}, {date}" + changelog[heading.end():]


def with_version(cmake, version):
    """The text of CMakeLists.txt with the project's version."""
    text, count = re.subn(r"^(project\(vta_sdk VERSION )[\d.]+", rf"\g<1>{version}", cmake, flags=re.M)
    if count != 1:
        raise ReleaseError("CMakeLists.txt: no line 'project(vta_sdk VERSION ...'")
    return text


def commit_version(version):
    changelog, cmake = ROOT / "CHANGELOG.md", ROOT / "CMakeLists.txt"
    texts = {changelog: dated(changelog.read_text(), version, datetime.date.today().isoformat()),
             cmake: with_version(cmake.read_text(), version)}
    for path, text in texts.items():
        path.write_text(text)
    git("commit", "--quiet", "--all", "--message", f"Release {version}")


def run(*command, folder=ROOT):
    print("release:", *command, file=sys.stderr)
    if subprocess.run(command, cwd=folder, stdout=sys.stderr, check=False).returncode != 0:
        raise ReleaseError(f"{command[0]} failed; its output is above")


def build_packages(output):
    run(ROOT / "scripts" / "build")
    run("cpack", "-G", "DEB", "-B", output, folder=ROOT / "build")
    for target in TARGETS:
        run(ROOT / "scripts" / "cross", target, "--deb", output)
    # CPack's own folder of what it packed.
    for path in output.glob("_CPack_Packages"):
        run("rm", "-r", path)


def archive_sources(version, output):
    name = f"vta-sdk-{version}"
    run("git", "archive", f"--prefix={name}/", "--output", output / f"{name}.tar.gz", "HEAD")


def write_sums(output):
    files = sorted(path for path in output.iterdir() if path.is_file())
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (output / "SHA256SUMS").write_text("".join(lines))
    return files


def make_files(version, output):
    output.mkdir(parents=True, exist_ok=True)
    build_packages(output)
    archive_sources(version, output)
    write_json(bill_of_materials(ROOT, version, output, git("show", "-s", "--format=%cI")),
               output / f"vta-sdk-{version}.spdx.json")
    return write_sums(output)


def release(version, output):
    """Commits, builds and tags; takes the commit back when something fails or the user interrupts."""
    before = git("rev-parse", "HEAD")
    commit_version(version)
    try:
        files = make_files(version, output)
        git("tag", "--annotate", f"v{version}", "--message", f"VTA SDK {version}")
        return files
    except BaseException:
        git("reset", "--quiet", "--hard", before)
        raise


def main():
    arguments = parse_arguments()
    version = arguments.version
    output = (arguments.output or ROOT / "build" / f"release-{version}").absolute()
    try:
        numbers_of(version)
        if output.exists() and (not output.is_dir() or os.listdir(output)):
            raise ReleaseError(f"{output} is not empty; remove it, or name another folder by --output")
        if arguments.dry_run:
            files = make_files(version, output)
        else:
            check_repository(version)
            files = release(version, output)
    except ReleaseError as error:
        print(f"release: error: {error}", file=sys.stderr)
        return 1
    for path in files:
        print(f"{path.stat().st_size:>12,}  {path}")
    if not arguments.dry_run:
        print(f"release: v{version} is tagged here; git push origin HEAD v{version} publishes it", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
