"""The software bill of materials of a release, as SPDX 2.3 (https://spdx.github.io/spdx-spec/v2.3/).

It lists each package of the release, the Debian packages that it depends on with the versions of this machine, those
whose libraries are linked into what runs on boards, and what lies in third_party/. Licences of Debian's packages are
not asserted: their own copyright files have them.
"""

import datetime
import hashlib
import json
import re
import subprocess

DOCUMENT = "SPDXRef-DOCUMENT"
OUR_LICENCE = "Apache-2.0"


def output_of(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.stdout if result.returncode == 0 else ""


def reference_of(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", name)


def package(name, version, licence, **more):
    return {"SPDXID": reference_of(f"{name}-{version}"), "name": name, "versionInfo": version,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": licence,
            "licenseDeclared": licence, "copyrightText": "NOASSERTION", **more}


def purl(locator):
    """Where others find the package: https://github.com/package-url/purl-spec."""
    return [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}]


def debian_package(name, version, architecture):
    return package(name, version, "NOASSERTION",
                   externalRefs=purl(f"pkg:deb/debian/{name}@{version}?arch={architecture}"))


def file_package(path):
    """A file of the release."""
    if path.suffix == ".deb":
        name, version, architecture = output_of(
            "dpkg-deb", "--showformat=${Package} ${Version} ${Architecture}", "-W", path).split()
        found = package(f"{name}_{architecture}", version, OUR_LICENCE)
    else:
        name, version = re.fullmatch(r"(.*)-([\d.]+)\.tar\.gz", path.name).groups()
        found = package(name, version, OUR_LICENCE)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {**found, "packageFileName": path.name, "checksums": [{"algorithm": "SHA256", "checksumValue": digest}]}


def dependencies_of(deb):
    """Names of the packages that a package of the release needs; the first of alternatives."""
    fields = output_of("dpkg-deb", "-f", deb, "Depends")
    return [re.split(r"[ (|:]", entry.strip())[0] for entry in fields.split(",") if entry.strip()]


def installed(name):
    """The version and architecture of a package of this machine, or nothing."""
    return output_of("dpkg-query", "--showformat=${Version} ${Architecture}", "-W", name).split()


# SPDX's names of licences, by what README files call them.
LICENCES = {"Apache License 2.0": "Apache-2.0", "MIT License": "MIT"}


def third_party(root):
    """What lies in third_party/, by the first lines of each README: '# Name 1.2.3', then a sentence with the licence."""
    for readme in sorted(root.glob("third_party/*/README.md")):
        text = readme.read_text()
        name, version = re.match(r"# (.*) ([\d.]+)\n", text).groups()
        licence = next((code for title, code in LICENCES.items() if title in text), "NOASSERTION")
        yield package(name, version, licence)


def board_libraries(root, architecture):
    """Debian's packages that scripts/cross took for boards: (name, version) of each."""
    target = {"armhf": "armv7", "arm64": "aarch64"}[architecture]
    for deb in sorted((root / f"build-{target}" / "apt").glob("*.deb")):
        yield output_of("dpkg-deb", "--showformat=${Package} ${Version}", "-W", deb).split()


class Bill:
    """Packages by their reference, each once, and how they are related."""

    def __init__(self):
        self.packages = {}
        self.relations = []

    def add(self, owner, relation, part):
        self.packages.setdefault(part["SPDXID"], part)
        self.relations.append({"spdxElementId": owner, "relationshipType": relation,
                               "relatedSpdxElement": part["SPDXID"]})

    def add_deb(self, deb, root):
        own = file_package(deb)
        self.add(DOCUMENT, "DESCRIBES", own)
        architecture = own["name"].rsplit("_", 1)[1]
        for name in dependencies_of(deb):
            found = installed(name)
            if found:
                self.add(own["SPDXID"], "DEPENDS_ON", debian_package(name, *found))
        if architecture in ("armhf", "arm64"):
            for name, version in board_libraries(root, architecture):
                relation = "STATIC_LINK" if name.endswith("-dev") else "CONTAINS"
                self.add(own["SPDXID"], relation, debian_package(name, version, architecture))
        if own["name"].startswith("vta-tools_"):
            for part in third_party(root):
                self.add(own["SPDXID"], "CONTAINS", part)


def bill_of_materials(root, version, folder, created):
    """The document of all packages in `folder`; `created` is a time as ISO 8601."""
    bill = Bill()
    for deb in sorted(folder.glob("*.deb")):
        bill.add_deb(deb, root)
    for archive in sorted(folder.glob("*.tar.gz")):
        bill.add(DOCUMENT, "DESCRIBES", file_package(archive))
    digests = "".join(part["checksums"][0]["checksumValue"] for part in bill.packages.values() if "checksums" in part)
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": DOCUMENT, "name": f"vta-sdk-{version}",
            # A name that no other document has, as the specification demands.
            "documentNamespace": f"urn:vta-sdk:{version}:{hashlib.sha256(digests.encode()).hexdigest()}",
            "creationInfo": {"created": utc(created), "creators": ["Tool: scripts/release"]},
            "packages": list(bill.packages.values()), "relationships": bill.relations}


def utc(iso_time):
    """The time in the only form that SPDX takes: 2025-01-31T12:00:00Z."""
    time = datetime.datetime.fromisoformat(iso_time).astimezone(datetime.timezone.utc)
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def write_json(document, path):
    path.write_text(json.dumps(document, indent=1) + "\n")
