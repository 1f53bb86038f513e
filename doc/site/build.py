#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the documentation a folder of HTML that needs no server: pages, manual, references, gallery, one search.

    build.py --program build/release/moreau FOLDER        replaces the pages of FOLDER

cmark-gfm reads the documents as GitHub does, doxygen the headers, `moreau --parameters=json` says the parameters. What a
reader would stumble over is an error: links and anchors that lead nowhere (check_links.py), names of parameters that a
comment has and its function has not, classes and functions without a word, unless undocumented.txt lists them."""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import check_links
from api import HERE, Reference, run_doxygen
from layout import NAVIGATION, Site
from manual import Manual
from pages import Pages
from python_api import PythonReference


def complaints_of_doxygen(warnings, documented):
    """Faults of comments, and classes, enumerations and free functions of which nothing says what they are, unless
    undocumented.txt lists them. documented: functions of which an overload is."""
    known = {
        line.strip()
        for line in (HERE / "undocumented.txt").read_text(encoding="utf-8").splitlines()
        if line.strip() and not line.startswith("#")
    }
    found, seen = [], set()
    for file, line, what in warnings:
        if match := re.fullmatch(r"Compound (\S+) is not documented\.", what):
            name = match[1]
        elif match := re.fullmatch(
            r"Member ([\w~]+).* \((?:function|enumeration)\) of namespace (\S+) is not documented\.", what
        ):
            name = f"{match[2]}::{match[1]}"
        elif match := re.match(r"argument '(\S+)' of command @param is not found in the argument list of ([\w:]+)\(", what):
            name = f"{match[2]}({match[1]})"
            seen.add(name)
            if name not in known:
                found.append(f"{file}:{line}: {what}")
            continue
        elif what.endswith("is not documented."):
            continue  # members, types and constants whose names say it
        else:
            found.append(f"{file}:{line}: {what}")
            continue
        seen.add(name)
        if name not in known and name not in documented:
            found.append(
                f"{file}:{line}: nothing says what {name} is; say it above, or list it in doc/site/undocumented.txt."
            )
    return found + [
        f"doc/site/undocumented.txt: {name} is documented now, or gone; take its line out." for name in sorted(known - seen)
    ]


def main():
    project = HERE.parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    for tool in ("doxygen", "cmark-gfm"):
        if not shutil.which(tool):
            sys.exit(f"site: {tool} is not installed; scripts/site installs what is missing.")
    folder = arguments.folder.resolve()
    if folder.exists() and any(folder.iterdir()) and not (folder / "index.js").exists():
        sys.exit(f"site: {folder} holds something else than a site; give an empty folder, or a new one.")
    schema = subprocess.run([arguments.program, "--parameters=json"], capture_output=True, text=True, check=True).stdout
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)

    site = Site(folder)
    with tempfile.TemporaryDirectory(prefix="moreau_site_") as work:
        warnings = run_doxygen(project, pathlib.Path(work))
        reference = Reference(site, project, pathlib.Path(work) / "xml")
    manual = Manual(site, schema)
    pages = Pages(site, project, manual.address)
    pages.page_of.update(reference.page_of)
    for part in (pages, manual, PythonReference(site, project), reference):
        part.write()
    site.finish()
    navigated = {page.partition("#")[0] for _, entries in NAVIGATION for _, page in entries}
    complaints = [
        f"{name} is in no group of NAVIGATION in doc/site/layout.py"
        for name in map(pages.name, pages.documents)
        if pages.page_of[name] not in navigated
    ]
    complaints += complaints_of_doxygen(warnings, reference.documented_functions()) + check_links.complaints(folder)
    for complaint in complaints:
        print("site:", complaint)
    print(f"{len(site.pages)} pages in {folder}: open {folder / 'index.html'}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
