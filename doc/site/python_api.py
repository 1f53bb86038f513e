# SPDX-License-Identifier: GPL-3.0-or-later
"""The reference of the Python module, from the files of python/moreau: what `help(moreau)` says, with links."""
import ast
import html
import inspect
import re
import textwrap

from layout import code, heading, link, plain

PAGE = "python/index.html"
ORDER = [
    "impact",
    "find_contacts",
    "random_packing",
    "project",
    "certify",
    "solvers",
    "Motion",
    "Obstacle",
    "macro_impact",
    "homogenize",
    "run",
    "read",
    "convert",
    "certify_file",
]
ITEM = re.compile(r"^([\w*.\[\]]+(?:, [\w.]+)*) {2,}(\S.*)$")


def rendered(docstring):
    """Paragraphs, tables of `name  meaning`, examples."""
    result, items, paragraph, example = [], [], [], []

    def close():
        if paragraph:
            result.append("<p>" + re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(" ".join(paragraph))) + "</p>")
        if items:
            rows = "".join(
                f"<tr><td><code>{html.escape(name)}</code></td><td>{html.escape(text)}</td></tr>" for name, text in items
            )
            result.append(f'<div class="wide"><table><tbody>{rows}</tbody></table></div>')
        if example:
            result.append(code(textwrap.dedent("\n".join(example))))
        paragraph.clear(), items.clear(), example.clear()

    for line in inspect.cleandoc(docstring).split("\n"):
        item = ITEM.match(line)
        if (
            line.startswith((">>>", "..."))
            or example
            and line.strip()
            or line.startswith("    ")
            and not items
            and not paragraph
        ):
            if not example:
                close()
            example.append(line)
        elif not line.strip():
            close()
        elif item:
            if paragraph:
                close()
            items.append((item[1], item[2]))
        elif items and line.startswith("  "):
            items[-1] = (items[-1][0], items[-1][1] + " " + line.strip())
        else:
            if items:
                close()
            paragraph.append(line.strip())
    close()
    return "".join(result)


def signature(node, name):
    """As it is called; annotations that say nothing (Any) are left out."""
    arguments = node.args
    positional = [argument for argument in arguments.posonlyargs + arguments.args if argument.arg not in ("self", "cls")]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)

    def shown(argument, default):
        kind = (
            f": {ast.unparse(argument.annotation)}"
            if argument.annotation and ast.unparse(argument.annotation) != "Any"
            else ""
        )
        return argument.arg + kind + ("" if default is None else ("=" if not kind else " = ") + ast.unparse(default))

    words = [
        shown(argument, default) for argument, default in zip(positional, defaults[-len(positional) :] if positional else [])
    ]
    if arguments.vararg:
        words.append("*" + arguments.vararg.arg)
    elif arguments.kwonlyargs:
        words.append("*")
    words += [shown(argument, default) for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    if arguments.kwarg:
        words.append("**" + arguments.kwarg.arg)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns and ast.unparse(node.returns) not in ("None", "Any") else ""
    text = f"{name}({', '.join(words)}){returns}"
    if len(text) <= 96:
        return text
    lines = textwrap.wrap(
        ", ".join(word.replace(" ", "\0") for word in words), 92, break_long_words=False, break_on_hyphens=False
    )
    return f"{name}(\n    " + "\n    ".join(lines).replace("\0", " ") + f"){returns}"


class PythonReference:
    def __init__(self, site, project):
        self.site = site
        package = project / "python/moreau"
        module = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
        self.about = ast.get_docstring(module)
        names = next(
            ast.literal_eval(node.value)
            for node in module.body
            if isinstance(node, ast.Assign) and node.targets[0].id == "__all__"
        )
        nodes = {}
        for path in sorted(package.glob("*.py")):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                    nodes.setdefault(node.name, node)
        missing = [name for name in names if name not in nodes]
        if missing:
            raise SystemExit(f"python/moreau: {', '.join(missing)} of __all__ is declared nowhere")
        self.nodes = {
            name: nodes[name]
            for name in [name for name in ORDER if name in names] + [name for name in names if name not in ORDER]
        }
        self.bases = nodes

    def write(self):
        body = (
            "<h1>Python reference</h1>" + rendered(self.about) + f'<p>In words, with examples that are tested: '
            f'<a href="{link(PAGE, "doc/python.html")}">From Python</a>.</p>'
        )
        for name, node in self.nodes.items():
            text = self.documentation(node)
            body += (
                heading(2, name, f'{"class " if isinstance(node, ast.ClassDef) else ""}moreau.{name}')
                + f'<div class="entry">{text}</div>'
            )
            self.site.find(f"moreau.{name}", "Python", f"{PAGE}#{name}", plain(text)[:800])
        self.site.write(PAGE, "Python reference", body)
        self.site.find("Python reference", "page", PAGE)

    def documentation(self, node):
        if isinstance(node, ast.FunctionDef):
            return self.function(node, f"moreau.{node.name}")
        start = self.member(node, "__init__")
        head = signature(start, f"moreau.{node.name}") if start else f"class moreau.{node.name}"
        text = (
            f'<pre><code>{html.escape(head)}</code></pre><div class="text">{rendered(ast.get_docstring(node) or "")}</div>'
        )
        members = ""
        for base in [
            node,
            *(self.bases[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id in self.bases),
        ]:
            for member in base.body:
                if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
                    is_property = any(isinstance(mark, ast.Name) and mark.id == "property" for mark in member.decorator_list)
                    said = rendered(ast.get_docstring(member) or "")
                    kind = f": {ast.unparse(member.returns)}" if is_property and member.returns else ""
                    call = f"{member.name}{kind}" if is_property else signature(member, member.name)
                    identity = f"{node.name}.{member.name}"
                    members += (
                        f'<div class="entry" id="{identity}"><pre><code>{html.escape(call)}</code></pre>'
                        f'<div class="text">{said}</div></div>'
                    )
                    self.site.find(f"{node.name}.{member.name}", "Python", f"{PAGE}#{identity}", plain(said)[:300])
        return text + (f'<div class="members">{members}</div>' if members else "")

    @staticmethod
    def member(node, name):
        return next((member for member in node.body if isinstance(member, ast.FunctionDef) and member.name == name), None)

    @staticmethod
    def function(node, name):
        return (
            f'<pre><code>{html.escape(signature(node, name))}</code></pre><div class="text">'
            f'{rendered(ast.get_docstring(node) or "")}</div>'
        )
