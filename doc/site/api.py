# SPDX-License-Identifier: GPL-3.0-or-later
"""The C++ reference: what doxygen reads in the headers that are installed, a page for each header."""
import html
import pathlib
import re
import subprocess
import xml.etree.ElementTree as tree

from layout import breakable, heading, link, plain, table

ROOMS = [
    ("convex", "The abstract projection: problem, certificate, impact law, solvers. Begin with convex/cone_projection.h."),
    ("geometry", "Where things are: grids of boxes, fields of position, quadrature, processes."),
    ("micro", "Spheres, contacts, walls, lattices, packings, impacts; motions; measurements. Begin with micro/impact.h."),
    (
        "macro",
        "The continuum: what a mesh must offer, total error bounds. Begin with macro/discretization.h, macro/impact.h.",
    ),
    ("homogenization", "Voronoi cells, restriction and prolongation, φ_n. Begin with homogenization/convergence_study.h."),
    ("exchange", "Files of other programs, and the verdict on answers. Begin with exchange/formats.h, exchange/verdict.h."),
]
SETTINGS = """
FILE_PATTERNS = *.h
RECURSIVE = YES
FILTER_PATTERNS = *.h="{python} {here}/comments.py"
STRIP_FROM_PATH = .
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
MARKDOWN_SUPPORT = NO
MACRO_EXPANSION = YES
EXTRACT_ALL = NO
WARN_IF_UNDOCUMENTED = YES
WARN_NO_PARAMDOC = NO
WARN_IF_INCOMPLETE_DOC = NO
QUIET = YES
"""
HERE = pathlib.Path(__file__).resolve().parent


def run_doxygen(project, folder):
    """Its XML in folder/xml; returns its warnings: (file, line, what)."""
    rooms = [room for room, _ in ROOMS if (project / room).exists()]
    settings = (
        SETTINGS.format(python="/usr/bin/python3", here=HERE)
        + f"INPUT = {' '.join(rooms)}\nOUTPUT_DIRECTORY = {folder}\nWARN_LOGFILE = {folder}/warnings\n"
    )
    subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=project, check=True, stdout=subprocess.DEVNULL)
    found = []
    for line in (folder / "warnings").read_text(encoding="utf-8").splitlines():
        if match := re.match(r"(.*?):(\d+): (?:warning|error): (.*)", line):
            found.append(
                (pathlib.Path(match[1]).resolve().relative_to(project.resolve()).as_posix(), int(match[2]), match[3])
            )
        elif not line.startswith("  ") and line.strip():
            found.append(("", 0, line))
    return found


class Entry:
    """A class, function, constant, type or enumeration, with where it is declared."""

    def __init__(self, node, owner=""):
        self.node, self.kind = node, node.get("kind")
        name = node.findtext("name") or node.findtext("compoundname").split("::")[-1]
        self.name, self.owner = name, owner
        place = node.find("location")
        self.file, self.line = (place.get("file"), int(place.get("line", 0))) if place is not None else ("", 0)
        self.anchor, self.members = "", []

    @property
    def is_type(self):
        return self.kind in ("struct", "class")


class Reference:
    def __init__(self, site, project, xml):
        self.site = site
        self.headers = {}  # file -> entries
        self.about = {}  # file -> node of its description
        self.page_of = {}  # file -> page
        self.address_of = {}  # id of doxygen -> address
        classes = []
        for path in sorted(xml.glob("*.xml")):
            compound = tree.parse(path).getroot().find("compounddef")
            if compound is None:
                continue
            kind = compound.get("kind")
            if kind == "file":
                file = compound.find("location").get("file")
                self.about[file] = compound.find("detaileddescription")
                self.headers.setdefault(file, [])
            elif kind == "namespace":
                for member in compound.iter("memberdef"):
                    self.add(Entry(member))
            elif kind in ("struct", "class"):
                classes.append(compound)
        for compound in classes:
            self.add_class(compound)
        for file, entries in self.headers.items():
            self.page_of[file] = f"api/{file[:-2]}.html"
            self.address_of_file(file, entries)

    def add(self, entry):
        if entry.file in self.headers or entry.file.endswith(".h"):
            self.headers.setdefault(entry.file, []).append(entry)

    def add_class(self, compound):
        scopes = compound.findtext("compoundname").split("::")
        owner = "::".join(part for part in scopes[:-1] if part[0].isupper())
        entry = Entry(compound, owner)
        if "private" in (compound.get("prot"),):
            return
        for section in compound.findall("sectiondef"):
            for member in section.findall("memberdef"):
                if member.get("prot") != "private" and member.get("kind") != "friend":
                    entry.members.append(Entry(member, entry.name))
        entry.members.sort(key=lambda member: member.line)
        self.add(entry)

    def address_of_file(self, file, entries):
        entries.sort(key=lambda entry: entry.line)
        seen = {}

        def anchor(name):
            name = re.sub(r"[^\w~=+*<>()\[\]-]", "", name).replace("<", "lt").replace(">", "gt")
            seen[name] = seen.get(name, 0) + 1
            return name if seen[name] == 1 else f"{name}-{seen[name]}"

        def place(entry, prefix):
            entry.anchor = anchor(prefix + entry.name)
            self.address_of[entry.node.get("id")] = f"{self.page_of[file]}#{entry.anchor}"
            for value in entry.node.findall("enumvalue"):
                self.address_of[value.get("id")] = f"{self.page_of[file]}#{entry.anchor}"

        for entry in entries:
            place(entry, entry.owner + "." if entry.owner else "")
            for member in entry.members:
                place(member, entry.name + ".")

    def documented_functions(self):
        """Names of free functions of which an overload says what they all do: "moreau::convex::certify"."""
        return {
            entry.node.findtext("qualifiedname")
            for entries in self.headers.values()
            for entry in entries
            if entry.kind == "function" and plain(self.rendered(entry.node, "api/index.html"))
        }

    def write(self):
        rows = {room: [] for room, _ in ROOMS}
        for file, entries in sorted(self.headers.items()):
            page = self.page_of[file]
            said = self.rendered(self.about.get(file), page) if file in self.about else ""
            title = file
            body = (
                f'<h1>{html.escape(title)}</h1>'
                f'<pre class="formula"><code>#include &lt;moreau/{html.escape(file)}&gt;</code></pre>'
                f'<p class="where">{self.linked_target(file, page)}</p><div class="text">{said}</div>'
            )
            for entry in entries:
                body += self.entry(entry, page)
                text = plain(self.documentation(entry, page))
                self.site.find(entry.name, f"{self.room(file)}, C++", f"{page}#{entry.anchor}", text[:600])
                for member in entry.members:
                    text = plain(self.documentation(member, page))
                    if text:
                        self.site.find(f"{entry.name}::{member.name}", file, f"{page}#{member.anchor}", text[:300])
            self.site.write(page, title, body)
            self.site.find(file, "header", page, plain(said)[:600])
            names = ", ".join(
                f'<a href="{link("api/index.html", page)}#{entry.anchor}"><code>{html.escape(entry.name)}</code></a>'
                for entry in unique(entries)
                if not entry.owner
            )
            rows[self.room(file)].append((f'<a href="{link("api/index.html", page)}">{breakable(file)}</a>', names))
        body = (
            "<h1>C++ reference</h1><p>What is installed below <code>include/moreau/</code>, header by header, read by "
            f'doxygen. How to link it: <a href="{link("api/index.html", "doc/library.html")}">From C++</a>; '
            f'letters: <a href="{link("api/index.html", "doc/notation.html")}">notation</a>.</p>'
        )
        for room, about in ROOMS:
            body += (
                f'<h2 id="{room}">{room}/</h2><p>{html.escape(about)} In the namespace <code>moreau::{room}</code>, library '
                f"<code>moreau::{room}</code>.</p>" + table(("header", "declares"), rows[room])
            )
        self.site.write("api/index.html", "C++ reference", body)
        self.site.find("C++ reference", "page", "api/index.html")

    @staticmethod
    def room(file):
        return file.split("/")[0]

    def linked_target(self, file, page):
        room = self.room(file)
        plain_geometry = ("geometry/field.h", "geometry/quadrature.h")
        target = "moreau::quadrature" if file in plain_geometry else f"moreau::{room}"
        return f'<a href="{link(page, "api/index.html")}#{room}">{room}</a> · namespace moreau::{room} · link {target}'

    def entry(self, entry, page, level=2):
        text = self.documentation(entry, page)
        declaration = self.declaration(entry, page)
        title = ""
        if level == 2:
            name = f"{entry.owner}::{entry.name}" if entry.owner else entry.name
            kind = {"function": "", "variable": "", "typedef": "", "enum": "enum "}.get(entry.kind, entry.kind + " ")
            brackets = "()" if entry.kind == "function" else ""
            title = heading(2, html.escape(entry.anchor), f"{kind}{html.escape(name)}{brackets}")
        identity = f' id="{html.escape(entry.anchor)}"' if level > 2 else ""
        members = "".join(self.entry(member, page, 3) for member in entry.members)
        members = f'<div class="members">{members}</div>' if members else ""
        repeats = entry.is_type and level == 2 and plain(declaration) == f"{entry.kind} {entry.name}"
        declaration = "" if repeats else f"<pre><code>{declaration}</code></pre>"
        text = f'<div class="text">{text}</div>' if text else ""
        return f'{title}<div class="entry"{identity}>{declaration}{text}{members}</div>'

    def declaration(self, entry, page):
        node = entry.node
        template = node.find("templateparamlist")
        before = ""
        if template is not None:
            before = (
                "template &lt;"
                + ", ".join(
                    (self.text_of(parameter.find("type"), page) + " " + (parameter.findtext("declname") or "")).strip()
                    for parameter in template.findall("param")
                )
                + "&gt;\n"
            )
        if entry.is_type:
            bases = ", ".join(self.reference(base, page) for base in node.findall("basecompoundref"))
            return before + f"{entry.kind} <b>{html.escape(entry.name)}</b>" + (f" : {bases}" if bases else "")
        if entry.kind == "enum":
            values = [
                html.escape(value.findtext("name"))
                + (f" <i>// {plain(self.rendered(value, page))}</i>" if plain(self.rendered(value, page)) else "")
                for value in node.findall("enumvalue")
            ]
            return f"enum class <b>{html.escape(entry.name)}</b>\n{{\n  " + ",\n  ".join(values) + "\n}"
        kind = self.text_of(node.find("type"), page)
        if entry.kind == "typedef":
            return before + f"using <b>{html.escape(entry.name)}</b> = {kind}"
        words = [word for word, key in (("static", "static"), ("explicit", "explicit")) if node.get(key) == "yes"]
        words += (
            ["virtual"]
            if node.get("virt") in ("virtual", "pure-virtual") and "override" not in (node.findtext("argsstring") or "")
            else []
        )
        prefix = " ".join(words + ([kind] if kind else []))
        name = joined(prefix, f"<b>{html.escape(entry.name)}</b>")
        if entry.kind != "function":
            initial = html.escape(node.findtext("initializer") or "")
            return before + f"{name} {initial}".strip()
        parameters = []
        for parameter in node.findall("param"):
            default = parameter.find("defval")
            default = " = " + self.text_of(default, page) if default is not None else ""
            parameters.append(
                joined(self.text_of(parameter.find("type"), page), parameter.findtext("declname") or "") + default
            )
        behind = (node.findtext("argsstring") or "").rpartition(")")[2].strip()
        behind = behind.replace("=0", "= 0").replace("override=", "override =")
        behind = f" {html.escape(behind)}" if behind else ""
        one_line = f"{name}({', '.join(parameters)}){behind}"
        if len(plain(one_line)) > 100:
            one_line = f"{name}(\n    " + ",\n    ".join(parameters) + f"){behind}"
        return before + one_line

    def documentation(self, entry, page):
        return self.rendered(entry.node, page)

    def reference(self, node, page):
        text = html.escape("".join(node.itertext()))
        address = self.address_of.get(node.get("refid"))
        return f'<a href="{html.escape(link(page, address))}">{text}</a>' if address else text

    def text_of(self, node, page):
        """A type or a default with links."""
        if node is None:
            return ""
        parts = [html.escape(node.text or "")]
        for child in node:
            parts += [
                self.reference(child, page) if child.tag == "ref" else self.text_of(child, page),
                html.escape(child.tail or ""),
            ]
        text = re.sub(r" (&amp;&amp;|&amp;|\*)", r"\1", "".join(parts))
        return re.sub(r"&lt; ", "&lt;", re.sub(r" &gt;", "&gt;", text)).strip()

    def rendered(self, node, page):
        """The descriptions of an element, brief and detailed."""
        if node is None:
            return ""
        if node.tag.endswith("description"):
            return "".join(self.block(child, page) for child in node)
        return "".join(self.rendered(node.find(tag), page) for tag in ("briefdescription", "detaileddescription"))

    def block(self, node, page):
        """A description's element as HTML. What doxygen has of lists and tables stands inside of its paragraphs."""
        inner, result = [html.escape(node.text or "")], []

        def close():
            text = "".join(inner).strip()
            if text:
                result.append(f"<p>{text}</p>")
            inner.clear()

        for child in node:
            if child.tag in ("verbatim", "parameterlist", "simplesect", "table", "itemizedlist", "orderedlist", "para"):
                close()
                result.append(self.structure(child, page))
            else:
                inner.append(self.inline(child, page))
            inner.append(html.escape(child.tail or ""))
        close()
        return "".join(result)

    def structure(self, node, page):
        if node.tag == "para":
            return self.block(node, page)
        if node.tag == "verbatim":
            lines = [re.sub(r"^\s*/// ?", "", line) for line in (node.text or "").split("\n")]
            return '<pre class="formula"><code>' + html.escape("\n".join(lines).strip("\n").rstrip()) + "</code></pre>"
        if node.tag == "simplesect":
            return (
                f"<p><b>{node.get('kind').capitalize()}s</b> "
                + plain_paragraphs(self.block_of_children(node, page))
                + "</p>"
            )
        if node.tag == "parameterlist":
            rows = []
            for item in node.findall("parameteritem"):
                names = ", ".join(f"<code>{html.escape(name.text or '')}</code>" for name in item.iter("parametername"))
                rows.append((names, plain_paragraphs(self.block_of_children(item.find("parameterdescription"), page))))
            return table(("parameter", ""), rows).replace("<thead><tr><th>parameter</th><th></th></tr></thead>", "")
        if node.tag == "table":
            rows = [
                [plain_paragraphs(self.block_of_children(cell, page)) for cell in row.findall("entry")]
                for row in node.findall("row")
            ]
            return re.sub(r"<thead>.*?</thead>", "", table((), rows))
        items = "".join(
            f"<li>{plain_paragraphs(self.block_of_children(item, page))}</li>" for item in node.findall("listitem")
        )
        return f"<ul>{items}</ul>"

    def block_of_children(self, node, page):
        return "".join(self.block(child, page) for child in node)

    def inline(self, node, page):
        if node.tag == "ref":
            return self.reference(node, page)
        symbols = {"zwj": "", "ndash": "–", "mdash": "—", "linebreak": "<br>", "nonbreakablespace": " "}
        if node.tag in symbols:
            return symbols[node.tag]
        text = html.escape(node.text or "") + "".join(
            self.inline(child, page) + html.escape(child.tail or "") for child in node
        )
        tag = {"computeroutput": "code", "bold": "b", "emphasis": "em"}.get(node.tag)
        return f"<{tag}>{text}</{tag}>" if tag else text


def joined(kind, name):
    """`const Vector &` and `u` as this project writes them: const Vector &u."""
    match = re.match(r"(.*?)((?:&amp;)+|\*+)$", kind, re.S)
    return f"{match[1]} {match[2]}{name}" if match else f"{kind} {name}".strip()


def plain_paragraphs(text):
    """One paragraph without its tag, several with a line break between."""
    return re.sub(r"^<p>|</p>$", "", text).replace("</p><p>", "<br>")


def unique(entries):
    seen, result = set(), []
    for entry in entries:
        if entry.name not in seen and entry.kind != "variable":
            seen.add(entry.name)
            result.append(entry)
    return result
