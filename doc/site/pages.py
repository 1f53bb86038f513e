# SPDX-License-Identifier: GPL-3.0-or-later
"""The documents of the project and the files that they speak of as pages."""
import base64
import html
import json
import pathlib
import posixpath
import re
import shutil
import subprocess

from formulas import with_formulas
from layout import breakable, code, heading, link, plain, slug, table

DOCUMENTS = ["*.md", "doc/*.md", "doc/gallery/*.md", "insitu/pipelines/*.md", "micro/motion/systems/*.md"]
GENERATED = {"doc/parameters.md": "doc/parameters.html"}  # by manual.py
SOURCES = [
    "LICENSE",
    "CITATION.cff",
    "examples/**/*.cc",
    "examples/**/*.py",
    "examples/**/CMakeLists.txt",
    "insitu/pipelines/*.py",
    "micro/motion/systems/*.cc",
]
PICTURES = (".png", ".webp", ".svg")


def markdown(text):
    """As GitHub reads it; headings get the anchors that GitHub gives them."""
    done = subprocess.run(
        ["cmark-gfm", "-e", "table", "-e", "strikethrough", "--unsafe"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    seen = {}

    def with_anchor(match):
        anchor = slug(plain(match[2]))
        seen[anchor] = seen.get(anchor, -1) + 1
        anchor += f"-{seen[anchor]}" if seen[anchor] else ""
        if match[1] == "1":
            return f'<h1 id="{anchor}">{match[2]}</h1>'
        return heading(match[1], anchor, match[2])

    return re.sub(r"<h(\d)>(.*?)</h\1>", with_anchor, done.stdout)


class Pages:
    """page_of: files of the project and their pages, those of other modules (headers) among them."""

    def __init__(self, site, project, parameter_address):
        self.site, self.project = site, project
        self.parameter_address = parameter_address
        self.page_of = dict(GENERATED)
        self.documents = sorted(
            {path for pattern in DOCUMENTS for path in project.glob(pattern)} - {project / name for name in GENERATED}
        )
        self.prm = sorted((project / "prm").rglob("*.prm"))
        self.notebooks = sorted((project / "examples").rglob("*.ipynb"))
        self.sources = sorted(
            path
            for pattern in SOURCES
            for path in project.glob(pattern)
            if "build" not in path.parts and "__pycache__" not in path.parts
        )
        for path in self.documents:
            name = self.name(path)
            self.page_of[name] = (
                posixpath.join(posixpath.dirname(name), "index.html") if path.name == "README.md" else name[:-3] + ".html"
            )
        for path in self.prm:
            self.page_of[self.name(path)] = self.name(path)[:-4] + ".html"
        for path in [*self.sources, *self.notebooks]:
            self.page_of[self.name(path)] = self.name(path) + ".html"
        for path in [project, *(document.parent for document in self.documents if document.name == "README.md")]:
            self.page_of[self.name(path)] = posixpath.join(self.name(path), "index.html").removeprefix("./")
        self.page_of.update({"prm": "prm/index.html", "examples": "examples/index.html", "LICENSE": "LICENSE.html"})
        for folder in sorted({self.name(path.parent) for path in [*self.sources, *self.notebooks]} - {"."}):
            if folder.startswith("examples/"):
                self.page_of[folder] = f"examples/index.html#{posixpath.basename(folder)}"
        for folder in sorted({self.name(path.parent) for path in self.prm} - {"prm"}):
            self.page_of[folder] = f"prm/index.html#{posixpath.basename(folder)}"

    def name(self, path):
        return path.relative_to(self.project).as_posix()

    def write(self):
        for document in self.documents:
            self.write_document(document)
        self.write_parameter_files()
        self.write_examples()
        for path in self.sources:
            self.write_source(path)
        for path in self.notebooks:
            self.write_notebook(path)

    def write_document(self, path):
        page = self.page_of[self.name(path)]
        body = self.linked(markdown(path.read_text(encoding="utf-8")), self.name(path), page)
        match = re.search(r"<h1[^>]*>(.*?)</h1>", body)
        title = plain(match[1]) if match else path.stem
        self.site.write(page, title, body)
        self.site.find_sections(page, title, body)

    def linked(self, body, name, page):
        """Links and pictures of a document as they are in the site; names of files in code become links."""
        folder = posixpath.dirname(name)

        def address(target):
            target, mark, anchor = target.partition("#")
            if not target:
                return mark + anchor
            file = posixpath.normpath(posixpath.join(folder, target))
            if file.endswith(PICTURES):
                self.copy(file)
                return link(page, file)
            if file not in self.page_of:
                raise SystemExit(f"{name}: the site has no page for the link {target}")
            return link(page, self.page_of[file].partition("#")[0] + mark + anchor if mark else self.page_of[file])

        def attribute(match):
            target = html.unescape(match[2])
            return match[0] if re.match(r"[a-z]+:", target) else f'{match[1]}="{html.escape(address(target))}"'

        body = re.sub(r'\b(href|src)="([^"]*)"', attribute, body)
        body = re.sub(r"<img ", '<img loading="lazy" ', body)
        body = re.sub(r'(?<!<a href=")(<img [^>]*src="([^"]*)"[^>]*>)', r'<a href="\2">\1</a>', body)
        body = re.sub(
            r"<pre><code[^>]*>(.*?)</code></pre>",
            lambda match: code(html.unescape(match[1]), lambda section, key: self.parameter(page, section, key)),
            body,
            flags=re.S,
        )
        body = re.sub(r"<table>(?=\s*<thead>\s*<tr>\s*(<th></th>\s*)+</tr>)", '<table class="gallery">', body)
        body = re.sub(r"<table[ >].*?</table>", lambda match: f'<div class="wide">{match[0]}</div>', body, flags=re.S)
        return self.with_files(body, page, folder)

    def parameter(self, page, section, key):
        address = self.parameter_address(section, key)
        return address and link(page, address)

    def with_files(self, body, page, folder=""):
        """`convex/effort.h` and `prm/micro/wall.prm` become links; in a table of doc/problems.md `wall.prm`, too."""
        of_table = ""

        def name(match):
            nonlocal of_table
            if match[0].startswith(("<a", "<pre")):
                return match[0]
            file = html.unescape(match[2])
            if re.fullmatch(r"prm/\w+/", file):
                of_table = file
            candidates = [file.rstrip("/"), posixpath.normpath(posixpath.join(folder, file))]
            if file.endswith(".prm") and "/" not in file:
                candidates.append(of_table + file)
            for candidate in candidates:
                if candidate in self.page_of and candidate != "." and self.page_of[candidate] != page:
                    return f'<a href="{link(page, self.page_of[candidate])}">{match[0]}</a>'
            return match[0]

        return re.sub(
            r"(<(a|pre)\b.*?</\2>)|<code>([\w./-]+)((?:: [^<]*)?)</code>",
            lambda match: match[0] if match[1] else name([match[0], None, match[3]]),
            body,
            flags=re.S,
        )

    def copy(self, file):
        target = self.site.folder / file
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.project / file, target)

    def write_parameter_files(self):
        folders = {}
        for path in self.prm:
            text = path.read_text(encoding="utf-8")
            page = self.page_of[self.name(path)]
            lines = text.split("\n")
            end = next((k for k, line in enumerate(lines) if not line.startswith("#")), len(lines))
            said = [line[1:].strip() for line in lines[:end] if "SPDX" not in line and not line.startswith("# expect:")]
            expected = [line.partition(":")[2].strip() for line in lines[:end] if line.startswith("# expect:")]
            words = " ".join(" ".join(said).split())
            paragraphs = [" ".join(part.split()) for part in "\n".join(said).split("\n\n") if part.strip()]
            body = f"<h1>{html.escape(self.name(path))}</h1>" + "".join(f"<p>{html.escape(part)}</p>" for part in paragraphs)
            picture = "doc/gallery/" + self.name(path)[4:-4].replace("/", "_") + ".png"
            if (self.project / picture).exists():
                self.copy(picture)
                body += f'<p><img src="{link(page, picture)}" alt="What it leaves"></p>'
            if expected:
                body += (
                    "<p>A test runs it and expects "
                    + ", ".join(f"<code>{html.escape(item)}</code>" for item in expected)
                    + ".</p>"
                )
            body += code(
                "\n".join(lines[end:]).strip("\n"), lambda section, key, page=page: self.parameter(page, section, key)
            )
            self.site.write(page, self.name(path), body)
            self.site.find(self.name(path), "parameter file", page, words)
            folders.setdefault(self.name(path.parent), []).append((page, path.name, words))
        body = (
            "<h1>Parameter files</h1><p>All run as they stand: <code>scripts/run prm/quickstart.prm</code>, or "
            "<code>moreau FILE.prm</code>. They open with what they show and the numbers to expect, which tests check.</p>"
        )
        for folder, entries in sorted(folders.items()):
            rows = [
                (f'<a href="{link("prm/index.html", page)}">{breakable(file)}</a>', html.escape(first_sentence(words)))
                for page, file, words in entries
            ]
            body += f'<h2 id="{posixpath.basename(folder)}">{folder}/</h2>' + table(("file", "shows"), rows)
        self.site.write("prm/index.html", "Parameter files", body)

    def write_examples(self):
        body = (
            "<h1>Examples</h1><p>An installed tree has them in <code>share/doc/moreau/examples</code>; tests build and run "
            "them "
            "there.</p>"
        )
        folders = {}
        for path in [*self.sources, *self.notebooks]:
            if self.name(path).startswith("examples/") and path.name != "CMakeLists.txt":
                folders.setdefault(self.name(path.parent), []).append(path)
        for folder, files in sorted(folders.items()):
            rows = [
                (
                    f'<a href="{link("examples/index.html", self.page_of[self.name(path)])}">{breakable(path.name)}</a>',
                    html.escape(about(path)),
                )
                for path in files
            ]
            body += f'<h2 id="{posixpath.basename(folder)}">{folder}/</h2>' + table(("file", "shows"), rows)
        self.site.write("examples/index.html", "Examples", body)

    def write_source(self, path):
        name, page = self.name(path), self.page_of[self.name(path)]
        self.site.write(page, name, f"<h1>{name}</h1>" + code(path.read_text(encoding="utf-8")))
        if name.startswith("examples/"):
            self.site.find(name, "example", page, about(path))

    def write_notebook(self, path):
        """With what its cells print and draw."""
        name, page = self.name(path), self.page_of[self.name(path)]
        body = ""
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                body += self.with_files(with_formulas(source, markdown), page)
                continue
            body += code(source)
            for output in cell.get("outputs", []):
                data = output.get("data", {})
                if "image/png" in data:
                    picture = base64.b64encode(base64.b64decode("".join(data["image/png"]))).decode()
                    body += f'<p><img src="data:image/png;base64,{picture}" alt="What this cell draws"></p>'
                else:
                    text = "".join(output.get("text", data.get("text/plain", "")))
                    body += f'<pre class="formula"><code>{html.escape(text.rstrip())}</code></pre>' if text else ""
        self.site.write(page, name, body if "<h1" in body else f"<h1>{name}</h1>{body}")
        self.site.find_sections(page, name, body)


def first_sentence(text):
    match = re.match(r"(.{30,}?[.:;])(\s|$)", text + " ", re.S)
    return (match[1] if match else text).rstrip(":;")


def about(path):
    """What an example says of itself."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        return plain(re.sub(r"[#*`]", "", "".join(json.loads(text)["cells"][0]["source"]))).strip()[:300]
    if match := re.search(r'"""(.*?)"""', text, re.S):
        return first_sentence(" ".join(match[1].split()))
    lines = [
        line.lstrip("/# ")
        for line in text.split("\n")
        if line.startswith(("//", "#")) and "SPDX" not in line and not line.startswith("#include")
    ]
    return first_sentence(" ".join(lines))
