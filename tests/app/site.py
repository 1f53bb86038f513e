#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation as HTML: links hold, every parameter, document, parameter file and installed header has its place, and
what is wrong is noticed. Skipped (77) where doxygen or cmark-gfm is missing.

    site.py MOREAU SOURCE FOLDER        builds the site in FOLDER"""
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

MOREAU, SOURCE, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
PYTHON = "/usr/bin/python3"


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.built = subprocess.run(
            [PYTHON, SOURCE / "doc/site/build.py", "--program", MOREAU, FOLDER], text=True, capture_output=True, check=False
        )
        cls.schema = json.loads(
            subprocess.run([MOREAU, "--parameters=json"], text=True, capture_output=True, check=True).stdout
        )

    def read(self, page):
        return (FOLDER / page).read_text(encoding="utf-8")

    def test_it_is_built_without_a_complaint(self):
        self.assertEqual(
            (self.built.returncode, self.built.stderr), (0, ""), self.built.stdout[-4000:] + self.built.stderr[-4000:]
        )

    def test_every_source_has_its_page(self):
        for pattern, page in (
            ("doc/*.md", lambda name: name[:-3]),
            ("prm/**/*.prm", lambda name: name[:-4]),
            ("examples/**/*.ipynb", str),
            ("convex/**/*.h", lambda name: "api/" + name[:-2]),
            ("exchange/*.h", lambda name: "api/" + name[:-2]),
            ("macro/**/*.h", lambda name: "api/" + name[:-2]),
        ):
            names = [path.relative_to(SOURCE).as_posix() for path in SOURCE.glob(pattern)]
            self.assertTrue(names, pattern)
            for name in names:
                self.assertIn("<h1", self.read(page(name) + ".html"), name)
        self.assertIn('<div class="parameter" id="zone-walls-parameter"', self.read("doc/parameters.html"))

    def test_each_problem_shows_what_it_uses_and_nothing_else(self):
        for problem in self.schema["properties"]["Problem"]["enum"]:
            shown = re.findall(
                r'<div class="parameter" id="[^"]*" data-problems="([^"]*)"><h3>(.*?)</h3>',
                self.read(f"doc/parameters/{problem.replace(' ', '-')}.html"),
            )
            used = [name for name, value in self.schema["properties"].items() if problem in value.get("problems", ())]
            used += [
                name
                for value in self.schema["properties"].values()
                if "properties" in value
                for name, inner in value["properties"].items()
                if problem in inner["problems"]
            ]
            self.assertEqual([html.unescape(name) for _, name in shown], used, problem)
            self.assertGreater(len(used), 10)

    def test_the_search_finds_parameters_functions_and_headings(self):
        text = self.read("index.js")
        index = {(title, place) for title, place, _, _ in json.loads(text[text.index("[") : text.rindex("]") + 1])}
        for entry in (
            ("Restitution", "parameter"),
            ("moreau.impact", "Python"),
            ("certify", "convex, C++"),
            ("The verdict", "Other programs’ data, and a verdict on anybody’s answer"),
        ):
            self.assertIn((entry[0], entry[1].replace("’", "'")), index)

    def test_code_leads_to_what_it_names(self):
        page = self.read("prm/micro/wall.html")
        self.assertIn('<a href="../../doc/parameters.html#zone-walls-parameter">Walls</a>', page)
        self.assertIn('href="../api/convex/certificate.html"', self.read("doc/library.html"))

    def test_a_link_that_does_not_hold_is_noticed(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "site"
            shutil.copytree(FOLDER, copy, ignore=shutil.ignore_patterns("*.png", "*.webp"))
            page = copy / "doc/method.html"
            page.write_text(
                '<a id="a" href="problems.html#no-such-heading"></a><a id="a" href="nothing.html"></a>', encoding="utf-8"
            )
            said = subprocess.run(
                [PYTHON, SOURCE / "doc/site/check_links.py", copy], text=True, capture_output=True, check=False
            )
            self.assertEqual(said.returncode, 1)
            for complaint in (
                "doc/method.html: there is no #no-such-heading in problems.html",
                "the link nothing.html leads to nothing",
                "doc/method.html: the anchor #a is there twice",
            ):
                self.assertIn(complaint, said.stdout)

    def test_a_parameter_that_a_function_has_not_is_noticed(self):
        sys.path.insert(0, str(SOURCE / "doc/site"))
        import api
        import build

        with tempfile.TemporaryDirectory() as folder:
            project = pathlib.Path(folder)
            (project / "convex").mkdir()
            (project / "convex/wrong.h").write_text(
                "/// Of a wrong comment.\nnamespace moreau::convex\n{\n/// Half of <Bu - b, p> and B*p.\n"
                "///   wrong  no such name\n"
                "///   right  halved\n///     u + B*p = U\ndouble half(double right);\n\nstruct Bare\n{\n  int k;\n};\n}\n",
                encoding="utf-8",
            )
            found = build.complaints_of_doxygen(api.run_doxygen(project, project), set())
            said = [complaint for complaint in found if complaint.startswith("convex/wrong.h")]
            self.assertEqual(len(said), 2, found)
            self.assertIn("argument 'wrong' of command @param is not found", said[0] + said[1])
            self.assertIn("nothing says what moreau::convex::Bare is", said[0] + said[1])

    def test_a_folder_with_something_else_is_left_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "mine.txt").write_text("mine")
            said = subprocess.run(
                [PYTHON, SOURCE / "doc/site/build.py", "--program", MOREAU, folder],
                text=True,
                capture_output=True,
                check=False,
            )
            self.assertEqual((said.returncode, said.stderr.count("\n")), (1, 1))
            self.assertTrue((pathlib.Path(folder) / "mine.txt").exists())


if __name__ == "__main__":
    for tool in ("doxygen", "cmark-gfm"):
        if not shutil.which(tool):
            print(f"site: {tool} is not installed; scripts/test installs it")
            sys.exit(77)
    unittest.main(argv=["site"])
