#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What other programs call: the schema of the parameters, one section of the manual, standard input."""
import json
import os
import pathlib
import subprocess
import unittest

from runs import MOREAU, Runs


class Machines(Runs):
    def test_parameters_for_machines(self):
        schema = json.loads(self.run_well("--parameters=json"))
        mesh = schema["properties"]["Mesh"]["properties"]
        self.assertEqual(mesh["Adaptive cycles"]["type"], "integer")
        self.assertEqual(mesh["Cells per unit length"]["default"], 64)
        self.assertEqual(mesh["Cells per unit length"]["exclusiveMinimum"], 0)
        self.assertEqual(mesh["Alignment"]["enum"], ["automatic", "lattice", "box"])
        self.assertEqual(schema["properties"]["Zone"]["properties"]["Lower corner"]["unit"], "m")
        self.assertCountEqual(schema["properties"]["Tolerance"]["problems"], schema["properties"]["Problem"]["enum"])
        self.assertEqual(mesh["Adaptive cycles"]["problems"], ["macro impact"])
        zone = schema["properties"]["Zone"]["properties"]["Function expression"]
        self.assertNotIn("only_with", schema["properties"]["Cone"]["properties"]["Type"])
        self.assertEqual(set(zone["only_with"]), {"micro impact", "particle motion", "time convergence", "contact cone"})
        gap = schema["properties"]["Spheres"]["properties"]["Gap"]
        self.assertIn("= row, cradle, square lattice", gap["only_with"]["micro impact"])
        self.assertEqual(schema["properties"]["Obstacles"]["properties"]["Shapes"]["only_with"]["particle motion"],
                         "System/Type = spheres")
        # the same parameters as the manual, which is a file that runs
        manual = self.run_well("--parameters")
        names = [line.split("set ", 1)[1].split(" =")[0] for line in manual.splitlines()
                 if line.lstrip().startswith("# set ")]
        leaves = [name for name, value in schema["properties"].items() if value["type"] != "object"]
        leaves += [name for value in schema["properties"].values() if value["type"] == "object"
                   for name in value["properties"]]
        self.assertEqual(names, leaves)
        section = self.run_well("--parameters", "Time")
        self.assertTrue(section.startswith("\nsubsection Time\n"))
        self.assertIn(section.strip(), manual)
        for bad in (("--parameters", "Tim"), ("--parameters=xml",), ("--parameters", "Time", "convergence"), ("--version", "extra")):
            result = self.moreau(*bad)
            self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (1, "", 1))
        checked_in = pathlib.Path(__file__).resolve().parents[2] / "doc" / "parameters.md"
        self.assertEqual(checked_in.read_text(), self.run_well("--parameters=markdown"),
                         "write it again: build/release/moreau --parameters=markdown > doc/parameters.md")

    def test_standard_input_is_a_parameter_file(self):
        text = "set Problem = micro impact\nset Dimension = 1\nsubsection Spheres\n set Number of spheres = 4\nend\n"
        for arguments, output in (((), "output/standard_input"), (("--output", "here"), "here")):
            ran = subprocess.run([MOREAU, "-", "--quiet", *arguments], cwd=self.folder, input=text, text=True,
                                 capture_output=True, check=False)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            said = self.summary(output)
            self.assertEqual(said["command"].split()[1:3], ["-", "--quiet"])
            self.assertEqual(said["format_version"], 1)
        bad = subprocess.run([MOREAU, "-"], cwd=self.folder, input="set Nothing = 1\n", text=True, capture_output=True, check=False)
        self.assertEqual(bad.returncode, 1)
        self.assertIn("Nothing", bad.stderr)

    def test_names_may_be_any_bytes(self):
        name = os.fsencode(self.folder) + b"/r\xf6w.prm"  # Latin 1: no UTF-8
        text = "set Problem = micro impact\nset Dimension = 1\nsubsection Spheres\n set Number of spheres = 4\nend\n"
        with open(name, "w", encoding="ascii") as file:
            file.write(text)
        ran = subprocess.run([MOREAU, name, "--output", "here"], cwd=self.folder, capture_output=True, check=False)
        self.assertEqual((ran.returncode, ran.stderr), (0, b""))
        self.assertIn("r\ufffdw.prm", self.summary("here")["command"])

    def test_only_the_bare_name_is_standard_input(self):
        (self.folder / "-").write_text("set Nothing = 1\n")
        result = subprocess.run([MOREAU, "./-"], cwd=self.folder, stdin=subprocess.DEVNULL, text=True, capture_output=True,
                                check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("Nothing", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=["machines"])
