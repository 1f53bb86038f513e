# SPDX-License-Identifier: GPL-3.0-or-later
"""The frame of every page: navigation, contents, search, light and dark."""
import html
import json
import pathlib
import posixpath
import re

HERE = pathlib.Path(__file__).resolve().parent

# Groups of the navigation: what stands there, and its page.
NAVIGATION = [
    (
        "Begin",
        [
            ("moreau", "index.html"),
            ("Tutorial", "doc/tutorial.html"),
            ("Which problem is mine?", "doc/problems.html#which-problem-is-mine"),
            ("The method", "doc/method.html"),
            ("Gallery", "doc/gallery/index.html"),
        ],
    ),
    (
        "Use",
        [
            ("Problems", "doc/problems.html"),
            ("Parameters", "doc/parameters.html"),
            ("Parameter files", "prm/index.html"),
            ("Files read and written", "doc/formats.html"),
            ("Pictures by ParaView", "insitu/pipelines/index.html"),
            ("Other programs' data", "doc/exchange.html"),
            ("Ten complaints", "doc/complaints.html"),
        ],
    ),
    (
        "Call",
        [
            ("From Python", "doc/python.html"),
            ("Python reference", "python/index.html"),
            ("From C++", "doc/library.html"),
            ("C++ reference", "api/index.html"),
            ("Examples", "examples/index.html"),
        ],
    ),
    (
        "Understand",
        [
            ("Letters and signs", "doc/notation.html"),
            ("The papers", "doc/papers.html"),
            ("Design", "doc/design.html"),
            ("What was measured", "doc/numerics.html"), ("What costs what", "doc/performance.html"),
            ("Reliability", "doc/reliability.html"),
            ("Disordered matter", "doc/disorder.html"),
            ("Which restitution survives", "doc/restitution.html"),
        ],
    ),
    (
        "Take part",
        [
            ("Contributing", "CONTRIBUTING.html"),
            ("A mechanical system", "micro/motion/systems/index.html"),
            ("Security", "SECURITY.html"),
            ("Changes", "CHANGELOG.html"),
            ("Licence", "LICENSE.html"),
        ],
    ),
]

FRAME = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<script>
try {{ const t = localStorage.getItem("theme"); if (t) document.documentElement.dataset.theme = t; }} catch (e) {{}}
</script>
<link rel="stylesheet" href="{root}site.css">
<link rel="icon" href="{root}icon.svg" type="image/svg+xml">
</head>
<body data-root="{root}">
<a class="skip" href="#main">Skip to the text</a>
<header>
<button id="menu" aria-label="Pages" aria-expanded="false" aria-controls="pages">☰</button>
<a class="name" href="{root}index.html"><img src="{root}icon.svg" alt="" width="26" height="26">moreau</a>
<div class="search"><input id="search" type="search" placeholder="Search" aria-label="Search the site" autocomplete="off">
<div id="found" role="listbox" hidden></div></div>
<button id="theme" aria-label="Light or dark">◐</button>
</header>
<div class="frame">
<nav id="pages" aria-label="Pages">{pages}</nav>
<main id="main">{contents_small}{body}</main>
<aside aria-label="On this page">{contents}</aside>
</div>
<script src="{root}site.js" defer></script>
</body>
</html>
"""


def slug(heading):
    """The anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def plain(fragment):
    """The text of a piece of HTML."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", fragment))).strip()


def link(of, to):
    """The relative link of a page to another."""
    path, mark, anchor = to.partition("#")
    return posixpath.relpath(path, posixpath.dirname(of) or ".") + mark + anchor


class Site:
    """A folder of pages and the index of what can be found in them."""

    def __init__(self, folder):
        self.folder = folder
        self.index = []
        self.pages = set()

    def write(self, page, title, body):
        """page: its path in the site. Headings of `body` that have an id are its contents."""
        root = "../" * page.count("/")
        headings = re.findall(r'<h([23]) id="([^"]+)"[^>]*>(.*?)</h\1>', body, re.S)
        headings = [
            (level, anchor, re.sub(r'<a class="anchor".*?</a>|</?a\b[^>]*>', "", text)) for level, anchor, text in headings
        ]
        if sum(level == "2" for level, _, _ in headings) + sum(level == "3" for level, _, _ in headings) > 60:
            headings = [heading for heading in headings if heading[0] == "2"]
        items = "".join(f'<li class="h{level}"><a href="#{anchor}">{text}</a></li>' for level, anchor, text in headings)
        contents = f"<h2>On this page</h2><ul>{items}</ul>" if len(headings) > 1 else ""
        small = f'<details class="contents"><summary>On this page</summary><ul>{items}</ul></details>' if contents else ""
        text = FRAME.format(
            title=html.escape(title if page == "index.html" else f"{title} – moreau"),
            root=root,
            body=body,
            pages=self.navigation(page),
            contents=contents,
            contents_small=small,
        )
        target = self.folder / page
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        self.pages.add(page)

    def navigation(self, page):
        groups = []
        for name, entries in NAVIGATION:
            items = "".join(
                f'<li><a href="{link(page, to)}"{" aria-current=page" if to == page else ""}>{html.escape(text)}</a></li>'
                for text, to in entries
            )
            groups.append(f"<h2>{name}</h2><ul>{items}</ul>")
        return "".join(groups)

    def find(self, title, place, url, text=""):
        """Makes the search find this."""
        self.index.append([title, place, url, text])

    def find_sections(self, page, title, body):
        """Makes the search find the sections of a page, by their headings and their text."""
        body = re.sub(r'<a class="anchor".*?</a>', "", body)
        parts = re.split(r'<h[23] id="([^"]+)"[^>]*>(.*?)</h[23]>', body, flags=re.S)
        self.find(title, "page", page, plain(parts[0])[:4000])
        for anchor, heading, text in zip(parts[1::3], parts[2::3], parts[3::3]):
            self.find(plain(heading), title, f"{page}#{anchor}", plain(text)[:4000])

    def finish(self):
        for name in ("site.css", "site.js", "icon.svg"):
            (self.folder / name).write_bytes((HERE / name).read_bytes())
        entries = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in self.index)
        (self.folder / "index.js").write_text(f"window.moreauIndex = [\n{entries}\n];\n", encoding="utf-8")


def heading(level, anchor, text):
    """With a link to itself."""
    link_to_it = f'<a class="anchor" href="#{anchor}" aria-label="Link to this section">#</a>'
    return f'<h{level} id="{anchor}">{text}{link_to_it}</h{level}>'


def breakable(name):
    """The name of a file that may be broken behind its folders and words."""
    return html.escape(name).replace("/", "/<wbr>").replace("_", "_<wbr>")


def table(head, rows):
    """Of cells in HTML."""
    top = "".join(f"<th>{cell}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in rows)
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>\n{body}</tbody></table></div>'


def code(text, link_of_parameter=None):
    """A block of code with comments and words of parameter files marked. link_of_parameter(section, name) may give an
    address."""
    lines = text.rstrip("\n").split("\n")
    is_prm = any(re.match(r"\s*(subsection \w|set [A-Z][\w ]*=)", line) for line in lines)
    section, result = "", []
    for line in lines:
        comment = re.search(r"(^|\s)(#(?!include|if|end|define|else)[ !#].*|#$|//[ /].*)$", line)
        shown, behind = (line[: comment.start(2)], comment[2]) if comment else (line, "")
        if is_prm and (match := re.match(r"(\s*)(subsection) (.*?)(\s*)$", shown)):
            section = match[3]
            shown = f"{match[1]}<b>subsection</b> {html.escape(match[3])}{match[4]}"
        elif is_prm and shown.strip() == "end":
            section = ""
            shown = shown.replace("end", "<b>end</b>")
        elif is_prm and (match := re.match(r"(\s*)set (.*?)(\s*=)(.*)$", shown)):
            address = link_of_parameter(section, match[2]) if link_of_parameter else None
            name = f'<a href="{address}">{html.escape(match[2])}</a>' if address else html.escape(match[2])
            shown = f"{match[1]}<b>set</b> {name}{match[3]}{html.escape(match[4])}"
        elif re.match(r"\s*\$ ", shown):
            shown = f"<b>{html.escape(shown)}</b>"
        else:
            shown = html.escape(shown)
        result.append(shown + (f"<i>{html.escape(behind)}</i>" if behind else ""))
    return "<pre><code>" + "\n".join(result) + "</code></pre>"
