#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Do the links of a folder of HTML hold? Every page, picture, script and anchor that a page or its index of the search names
must be there; an anchor may be there once only.

    check_links.py FOLDER"""
import json
import pathlib
import re
import sys
import urllib.parse
from html.parser import HTMLParser


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.twice = [], set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value is not None:
                self.links.append(value)
            elif name == "id":
                (self.twice if value in self.anchors else self.anchors).add(value)


def complaints(folder):
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    index = re.sub(r"^window\.moreauIndex = |;\s*$", "", (folder / "index.js").read_text(encoding="utf-8"))
    found = []

    def check(source, base, target):
        target = urllib.parse.unquote(target)
        if re.match(r"(https?|mailto|data):", target):
            return
        path, _, anchor = target.partition("#")
        file = (base.parent / path).resolve() if path else base
        if not file.is_file():
            found.append(f"{source}: the link {target} leads to nothing")
        elif anchor and anchor not in pages[file].anchors:
            found.append(f"{source}: there is no #{anchor} in {path or 'it'}")

    for path, page in pages.items():
        name = path.relative_to(folder)
        found += [f"{name}: the anchor #{anchor} is there twice" for anchor in sorted(page.twice)]
        for target in page.links:
            check(name, path, target)
    for title, _, address, _ in json.loads(index):
        check(f"search for '{title}'", folder / "index.html", address)
    return found


if __name__ == "__main__":
    result = complaints(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(result))
    sys.exit(1 if result else 0)
