"""scripts/release in a small repository with stand-ins for what builds: versions, files, the bill of materials, and that a
release that fails leaves nothing."""

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ("release", "packages/release.py", "packages/bill_of_materials.py", "lib.sh")
CMAKE = "cmake_minimum_required(VERSION 3.25)\nproject(vta_sdk VERSION 0.1.0 LANGUAGES C CXX)\n"
CHANGELOG = "# Changes\n\n## 0.2.0, not released yet\n\n- News.\n\n## 0.1.0, 2025-01-01\n\n- The first.\n"
README = "# Apache ECharts 5.6.0\n\nDraws plots. Apache License 2.0 (`LICENSE`).\n"
# Writes a package with dpkg-deb: NAME ARCHITECTURE FOLDER. The base system has dpkg, so its version is known.
PACK = """#!/bin/sh -e
root=$(mktemp -d)
mkdir -p $root/DEBIAN "$3"
printf 'Package: %s\\nVersion: 0.2.0\\nArchitecture: %s\\nMaintainer: us <us@localhost>\\nDescription: it\\nDepends: %s\\n' \
  $1 $2 'dpkg (>= 1.0), absent-one | absent-two' > $root/DEBIAN/control
dpkg-deb --root-owner-group --build $root "$3" >&2
rm -r $root
"""
CPACK = '#!/bin/sh -e\n[ "$1 $2 $3" = "-G DEB -B" ]\nmkdir -p "$4/_CPack_Packages"\npack vta-tools amd64 "$4"\n'
CROSS = '#!/bin/sh -e\n[ "$2" = --deb ]\ncase $1 in armv7) a=armhf ;; aarch64) a=arm64 ;; esac\npack vta-board $a "$3"\n'


@unittest.skipUnless(shutil.which("dpkg-deb") and shutil.which("git"), "dpkg-deb or git is not installed")
class ReleaseTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="vta-release-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.tree = self.folder / "tree"
        self.output = self.folder / "files"
        self.environment = {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
                            "GIT_CONFIG_GLOBAL": str(self.folder / "gitconfig"), "GIT_CONFIG_NOSYSTEM": "1"}
        (self.folder / "gitconfig").write_text("[user]\n name = Tester\n email = tester@localhost\n")
        for name in SCRIPTS:
            self.write(f"scripts/{name}", (ROOT / "scripts" / name).read_text(), "release")
        self.write("scripts/build", "#!/bin/sh\n", "build")
        self.write("scripts/cross", CROSS, "cross")
        self.write("../bin/pack", PACK, "pack")
        self.write("../bin/cpack", CPACK, "cpack")
        self.write("CMakeLists.txt", CMAKE)
        self.write("CHANGELOG.md", CHANGELOG)
        self.write("third_party/echarts/README.md", README)
        self.write(".gitignore", "/build\n/build-*\n")
        self.write("build/keep", "")
        self.git("init", "--quiet")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "start")
        self.start = self.git("rev-parse", "HEAD")

    def write(self, name, text, command=None):
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if path.name == command:
            path.chmod(0o755)

    def git(self, *arguments):
        return subprocess.run(["git", "-C", self.tree, *arguments], capture_output=True, text=True, check=True,
                              env=self.environment).stdout.strip()

    def release(self, *arguments):
        return subprocess.run([self.tree / "scripts/release", *arguments, "--output", self.output], text=True,
                              capture_output=True, env=self.environment, check=False)

    def assert_refused(self, result, *texts):
        self.assertEqual(result.returncode, 1, result.stderr)
        for text in texts:
            self.assertIn(text, result.stderr)
        self.assertEqual(self.git("rev-parse", "HEAD"), self.start)
        self.assertEqual(self.git("tag", "--list"), "")

    def test_a_release_has_its_files_and_a_tag(self):
        result = self.release("0.2.0")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(sorted(path.name for path in self.output.iterdir()),
                         ["SHA256SUMS", "vta-board_0.2.0_arm64.deb", "vta-board_0.2.0_armhf.deb",
                          "vta-sdk-0.2.0.spdx.json", "vta-sdk-0.2.0.tar.gz", "vta-tools_0.2.0_amd64.deb"])
        self.assertEqual(self.git("rev-parse", "v0.2.0^{commit}"), self.git("rev-parse", "HEAD"))
        self.assertEqual(self.git("rev-parse", "HEAD^"), self.start)
        self.assertIn("project(vta_sdk VERSION 0.2.0 LANGUAGES", (self.tree / "CMakeLists.txt").read_text())
        self.assertRegex((self.tree / "CHANGELOG.md").read_text(), r"\n## 0\.2\.0, \d{4}-\d\d-\d\d\n\n- News")
        self.assertEqual(self.git("status", "--porcelain"), "")
        subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=self.output, check=True)
        names = subprocess.run(["tar", "-tzf", self.output / "vta-sdk-0.2.0.tar.gz"], capture_output=True, text=True,
                               check=True).stdout.split()
        self.assertIn("vta-sdk-0.2.0/CMakeLists.txt", names)

    def test_the_bill_of_materials_names_packages_and_what_they_need(self):
        self.write("build-armv7/apt/x", "")
        subprocess.run([self.folder / "bin/pack", "libfmt-dev", "armhf", self.tree / "build-armv7/apt"], check=True,
                       capture_output=True)
        self.assertEqual(self.release("0.2.0").returncode, 0)
        bill = json.loads((self.output / "vta-sdk-0.2.0.spdx.json").read_text())
        self.assertEqual(bill["spdxVersion"], "SPDX-2.3")
        self.assertRegex(bill["creationInfo"]["created"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        packages = {package["name"]: package for package in bill["packages"]}
        self.assertEqual(len(packages), len(bill["packages"]))
        tools = packages["vta-tools_amd64"]
        digest = hashlib.sha256((self.output / tools["packageFileName"]).read_bytes()).hexdigest()
        self.assertEqual(tools["checksums"], [{"algorithm": "SHA256", "checksumValue": digest}])
        self.assertRegex(packages["dpkg"]["externalRefs"][0]["referenceLocator"], r"^pkg:deb/debian/dpkg@\d")
        self.assertEqual(packages["Apache ECharts"]["licenseDeclared"], "Apache-2.0")
        relations = {(r["spdxElementId"], r["relationshipType"], r["relatedSpdxElement"]) for r in bill["relationships"]}
        id_of = {name: package["SPDXID"] for name, package in packages.items()}
        self.assertIn(("SPDXRef-DOCUMENT", "DESCRIBES", id_of["vta-sdk"]), relations)
        self.assertIn((tools["SPDXID"], "DEPENDS_ON", id_of["dpkg"]), relations)
        self.assertIn((tools["SPDXID"], "CONTAINS", id_of["Apache ECharts"]), relations)
        self.assertIn((id_of["vta-board_armhf"], "STATIC_LINK", id_of["libfmt-dev"]), relations)
        self.assertNotIn("absent-one", packages)
        ids = [package["SPDXID"] for package in bill["packages"]]
        self.assertEqual(len(ids), len(set(ids)))
        for identifier in ids:
            self.assertRegex(identifier, r"^SPDXRef-[A-Za-z0-9.-]+$")

    def test_a_dry_run_changes_nothing(self):
        self.write("CMakeLists.txt", CMAKE + "# changed\n")
        result = self.release("0.2.0", "--dry-run")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue((self.output / "SHA256SUMS").exists())
        self.assertEqual(self.git("rev-parse", "HEAD"), self.start)
        self.assertEqual(self.git("tag", "--list"), "")

    def test_a_failed_build_takes_the_commit_back(self):
        self.write("../bin/cpack", "#!/bin/sh\necho no space >&2\nexit 1\n", "cpack")
        self.assert_refused(self.release("0.2.0"), "no space", "cpack failed")
        self.assertEqual((self.tree / "CHANGELOG.md").read_text(), CHANGELOG)
        self.assertEqual((self.tree / "CMakeLists.txt").read_text(), CMAKE)

    def test_wrong_versions_are_refused(self):
        for version in ("1.2", "v1.2.3", "1.2.3-rc1"):
            self.assert_refused(self.release(version), f"'{version}' is no version")
        self.assert_refused(self.release("0.3.0"), "CHANGELOG.md", "0.2.0, not released yet", "0.3.0, not released yet")

    def test_a_version_follows_the_newest_tag(self):
        self.git("tag", "v0.2.0")
        self.git("tag", "v0.10.0")
        result = self.release("0.2.0")
        self.assertEqual(result.returncode, 1)
        self.assertIn("0.2.0 does not follow 0.10.0", result.stderr)

    def test_changes_that_are_not_committed_are_refused(self):
        self.write("CMakeLists.txt", CMAKE + "# changed\n")
        self.assert_refused(self.release("0.2.0"), "not committed", "CMakeLists.txt")

    def test_a_folder_with_files_is_refused(self):
        self.output.mkdir()
        (self.output / "mine").write_text("mine")
        self.assert_refused(self.release("0.2.0"), "is not empty", "--output")
        self.assertEqual((self.output / "mine").read_text(), "mine")

    def test_wrong_usage(self):
        for arguments, text in (([], "version"), (["0.2.0", "--nonsense"], "--nonsense")):
            result = self.release(*arguments)
            self.assertEqual(result.returncode, 2)
            self.assertIn(text, result.stderr)


if __name__ == "__main__":
    unittest.main()
