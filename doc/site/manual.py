# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual of all parameters, from `moreau --parameters=json`, and one of each Problem with what it uses."""
import html
import json

from layout import code, heading, link, plain, slug


def in_words(schema):
    """What a value must be."""
    if "anyOf" in schema:
        return " or ".join(in_words(choice) for choice in schema["anyOf"])
    if "const" in schema:
        return f"<code>{html.escape(str(schema['const']))}</code>"
    if "enum" in schema:
        return "one of " + ", ".join(f"<code>{html.escape(word)}</code>" for word in schema["enum"])
    if schema["type"] == "array":
        return "a list, separated by commas, each " + in_words(schema["items"])
    if schema["type"] == "boolean":
        return "<code>true</code> or <code>false</code>"
    if schema["type"] == "string":
        return "text"
    kind = "a whole number" if schema["type"] == "integer" else "a number"
    limits = [
        sign + " " + f"{schema[key]:g}"
        for key, sign in (("minimum", "≥"), ("exclusiveMinimum", "&gt;"), ("maximum", "≤"), ("exclusiveMaximum", "&lt;"))
        if key in schema
    ]
    return f"{kind} {', '.join(limits)}".strip()


def default_in_words(value):
    if isinstance(value, list):
        value = ", ".join(default_in_words(item) for item in value)
    elif isinstance(value, bool):
        value = "true" if value else "false"
    elif isinstance(value, float):
        value = f"{value:.15g}"
    return str(value)


class Manual:
    """problems: names of all, in the order of the declarations. sections: name -> {parameter: schema}, "" for those that
    stand in none."""

    def __init__(self, site, text):
        schema = json.loads(text)
        self.site = site
        self.problems = schema["properties"]["Problem"]["enum"]
        self.sections = {"": {}}
        self.collect("", schema)

    def collect(self, section, schema):
        for name, value in schema["properties"].items():
            if value["type" if "type" in value else "anyOf"] == "object":
                path = f"{section}/{name}" if section else name
                self.sections[path] = {}
                self.collect(path, value)
            else:
                self.sections[section][name] = value

    def address(self, section, name):
        """Of a parameter in the site; None where there is none of this name. Obstacles 2 is described as Obstacles."""
        for candidate in (section, section.rstrip("0123456789 ")):
            if name in self.sections.get(candidate, {}):
                return f"doc/parameters.html#{self.anchor(candidate, name)}"
        return None

    @staticmethod
    def anchor(section, name):
        return slug(f"{section} {name}" if section else name) + "-parameter"

    def page_of(self, problem):
        return f"doc/parameters/{slug(problem)}.html"

    def write(self):
        links = "".join(
            f'<li><a href="{link("doc/parameters.html", self.page_of(problem))}">{problem}</a></li>'
            for problem in self.problems
        )
        body = (
            '<h1>Parameters</h1><p>Made from the declarations in the program. In a file: <code>subsection Spheres</code>, '
            '<code>set Gap = 0.1</code>, <code>end</code>; on the command line: <code>--set "Spheres/Gap=0.1"</code>. '
            "<code>moreau --parameters</code> prints all of them as a file, <code>--parameters=json</code> as a JSON "
            "Schema.</p>"
            f"<p>What one Problem uses, on a page of its own:</p><ul>{links}</ul>" + self.field(True)
        )
        self.site.write("doc/parameters.html", "Parameters", body + self.entries("doc/parameters.html", None))
        for section, parameters in self.sections.items():
            for name, schema in parameters.items():
                unit = f", in {schema['unit']}" if "unit" in schema else ""
                text = f"{schema['description']} Expected: {plain(in_words(schema))}{unit}."
                self.site.find(
                    name, f"parameter of {section}" if section else "parameter", self.address(section, name), text
                )
        for problem in self.problems:
            page = self.page_of(problem)
            example = f"set Problem = {problem}"
            body = (
                f"<h1>Parameters of {problem}</h1><p>All that <code>{example}</code> uses; the "
                f'<a href="{link(page, "doc/parameters.html")}">whole manual</a> has the others. What it computes, with an '
                f'example: <a href="{link(page, "doc/problems.html")}">Problems</a>.</p>' + code(example) + self.field(False)
            )
            self.site.write(page, f"Parameters of {problem}", body + self.entries(page, problem))
            self.site.find(f"Parameters of {problem}", "page", page, example)

    def field(self, with_problems):
        choices = "".join(f'<option value="{slug(problem)}">{problem}</option>' for problem in self.problems)
        choice = (
            f'<select aria-label="Problem"><option value="">all problems</option>{choices}</select>' if with_problems else ""
        )
        return (
            '<div class="filter" id="filter"><input type="search" placeholder="Name, meaning, unit, default, range" '
            f'aria-label="Search the parameters">{choice}<output></output></div>'
        )

    def entries(self, page, problem):
        """Sections with their parameters, all or those that the problem uses."""
        result = []
        for section, parameters in self.sections.items():
            shown = [
                (name, schema) for name, schema in parameters.items() if problem is None or problem in schema["problems"]
            ]
            if not shown:
                continue
            title = section or "Without a section"
            entries = "".join(self.entry(section, name, schema, problem) for name, schema in shown)
            result.append(f'<section class="section">{heading(2, slug(title), title)}{entries}</section>')
        return "".join(result)

    def entry(self, section, name, schema, problem):
        default = default_in_words(schema["default"])
        facts = [("expected", in_words(schema))]
        if "unit" in schema:
            facts.append(("unit", html.escape(schema["unit"])))
        facts.append(("default", f"<code>{html.escape(default)}</code>" if default else "empty"))
        conditions = schema.get("only_with", {})
        if problem in conditions:
            facts.append(("only", html.escape(conditions[problem])))
        used_by = schema["problems"]
        everywhere = len(used_by) == len(self.problems) and not conditions
        chips = (
            ["every problem"]
            if everywhere
            else [
                other + (f", {conditions[other]}" if other in conditions and len(conditions[other]) < 40 else "")
                for other in used_by
            ]
        )
        chips = "".join(f"<span>{html.escape(chip)}</span>" for chip in chips) if problem is None else ""
        facts = "".join(f"<div><dt>{key}</dt><dd>{value}</dd></div>" for key, value in facts)
        return (
            f'<div class="parameter" id="{self.anchor(section, name)}" data-problems="{"|".join(map(slug, used_by))}">'
            f"<h3>{html.escape(name)}</h3><p>{html.escape(schema['description'])}</p><dl>{facts}</dl>"
            + (f'<div class="chips">{chips}</div>' if chips else "")
            + "</div>"
        )
