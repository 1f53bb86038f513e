# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples in docstrings and in doc/python.md are true, help() is complete, and stubs fit what is compiled.

    documents.py SOURCE"""
import ast
import doctest
import importlib
import inspect
import os
import pathlib
import sys
import tempfile
import unittest

import numpy as np

import moreau

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()


def public():
    for name in moreau.__all__:
        yield name, getattr(moreau, name)


class Documents(unittest.TestCase):
    def test_examples(self):
        with tempfile.TemporaryDirectory() as folder:
            tempfile.tempdir = folder
            os.chdir(folder)
            for name in ("spheres", "cones", "motion", "obstacles", "continuum", "program"):
                module = importlib.import_module("moreau." + name)
                found = doctest.testmod(module, extraglobs={"moreau": moreau, "np": np})
                self.assertEqual(found.failed, 0, name)
                self.assertGreater(found.attempted, 0, name)
            found = doctest.testfile(str(SOURCE / "doc/python.md"), module_relative=False, encoding="utf-8")
            self.assertEqual(found.failed, 0)
            self.assertGreater(found.attempted, 20)
            os.chdir("/")
            tempfile.tempdir = None

    def test_everything_public_is_explained_and_typed(self):
        for name, thing in public():
            self.assertGreater(len(inspect.getdoc(thing) or ""), 40, name)
            functions = [thing] if inspect.isfunction(thing) else [
                f for n, f in inspect.getmembers(thing, inspect.isfunction)
                if not n.startswith("_") and f.__module__.startswith("moreau")]
            for function in functions:
                self.assertTrue(inspect.getdoc(function), f"{name}: {function.__name__}")
                for parameter in inspect.signature(function).parameters.values():
                    if parameter.name != "self":
                        self.assertIsNot(parameter.annotation, inspect.Parameter.empty, f"{function.__name__}: {parameter}")
            if inspect.isfunction(thing):
                for parameter in inspect.signature(thing).parameters:
                    self.assertRegex(thing.__doc__, rf"\b{parameter}\b", name)

    def test_stubs_have_the_names_of_what_is_compiled(self):
        for name in ("_micro", "_continuum"):
            stub = ast.parse((SOURCE / f"python/moreau/{name}.pyi").read_text())
            compiled = importlib.import_module("moreau." + name)
            in_stub = {node.name: node for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
            in_module = {n for n, thing in vars(compiled).items() if not n.startswith("_") and callable(thing)}
            self.assertEqual(set(in_stub), in_module, name)
            for n, node in in_stub.items():
                if isinstance(node, ast.ClassDef):
                    methods = {m.name for m in node.body if isinstance(m, ast.FunctionDef)} - {"__init__"}
                    self.assertEqual(methods, {m for m in vars(getattr(compiled, n)) if not m.startswith("_")}, n)
                else:
                    signature = getattr(compiled, n).__doc__.split("->")[0]
                    self.assertEqual(len(node.args.args), signature.count("arg"), f"{n}: {signature}")


if __name__ == "__main__":
    unittest.main()
