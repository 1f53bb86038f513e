# SPDX-License-Identifier: GPL-3.0-or-later
"""What type checkers are told is what there is: the stubs of the compiled modules name everything in them, with as many
arguments of the same types as pybind11 says; every public function of the package has annotations that can be resolved."""
import ast
import dataclasses
import functools
import importlib
import inspect
import pathlib
import re
import typing
import unittest

import moreau

PACKAGE = pathlib.Path(moreau.__file__).parent
COMPILED = [name for name in ("_micro", "_continuum") if list(PACKAGE.glob(name + ".*.so"))]


def split(arguments):
    """At the commas that stand in no bracket."""
    parts, depth = [""], 0
    for letter in arguments:
        depth += (letter in "[({") - (letter in "])}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def plain(annotation):
    """A type as both sides can say it: arrays without their numbers; Any for what pybind11 knows as an object only, and for
    tuples and lists, which stubs say more of."""
    text = re.sub(r"\bmoreau\.\w+\.|\bnumpy\.|\bnp\.|\btyping\.", "", annotation)
    text = re.sub(r"ndarray\[[^\]]*\]", "ndarray", text)
    optional = re.fullmatch(r"Optional\[(.*)\]", text)
    if optional:
        return f"Optional[{plain(optional[1])}]"
    known = {"dict": "dict", "list": "list", "tuple": "tuple", "object": "Any", "Any": "Any", "handle": "Any"}
    outer = re.split(r"\[", text)[0].strip()
    return known.get(outer.lower() if outer != "Any" else "Any", outer)


def told(function):
    """(types of the arguments, of the result) of a function of a stub, without self."""
    arguments = [argument for argument in function.args.args if argument.arg != "self"]
    return [plain(ast.unparse(argument.annotation)) for argument in arguments], plain(ast.unparse(function.returns))


def compiled(function):
    """The same of a compiled one, from the first line that pybind11 documents it with."""
    found = re.match(r"\w+\((.*)\) -> (.*)$", function.__doc__.splitlines()[0])
    arguments = [part.split(":", 1) for part in split(found[1])]
    return [plain(kind.strip()) for name, kind in arguments if name != "self"], plain(found[2])


class Stubs(unittest.TestCase):
    def agree(self, name, function, stub):
        (told_arguments, told_result), (arguments, result) = told(stub), compiled(function)
        self.assertEqual(len(told_arguments), len(arguments), name)
        for k, (said, is_one) in enumerate(zip(told_arguments + [told_result], arguments + [result])):
            # tuples that the stub has a name for; objects that C++ looks at itself
            if not said.startswith("_") and "Any" not in (said, is_one):
                self.assertEqual(said, is_one, f"{name}, argument {k}" if k < len(arguments) else f"{name}, result")

    def test_compiled_modules_are_as_their_stubs_say(self):
        self.assertIn("_micro", COMPILED)
        for module_name in COMPILED:
            module = importlib.import_module("moreau." + module_name)
            stub = ast.parse((PACKAGE / (module_name + ".pyi")).read_text())
            functions = {node.name: node for node in stub.body if isinstance(node, ast.FunctionDef)}
            classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
            values = {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)}
            public = {name for name in vars(module) if not name.startswith("_")}
            self.assertEqual(public, set(functions) | set(classes) | values, module_name)
            for name, node in functions.items():
                self.agree(name, getattr(module, name), node)
            for name, node in classes.items():
                cls = getattr(module, name)
                methods = {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
                there = {one for one in vars(cls) if not one.startswith("_")}
                self.assertEqual(there, set(methods) - {"__init__"}, name)
                for method, one in methods.items():
                    self.agree(f"{name}.{method}", getattr(cls, method), one)

    def test_every_stub_has_a_module_and_every_compiled_module_a_stub(self):
        self.assertTrue((PACKAGE / "py.typed").exists())
        for stub in PACKAGE.glob("*.pyi"):
            if stub.stem != "_continuum" or "_continuum" in COMPILED:
                importlib.import_module("moreau." + stub.stem)
        for name in COMPILED:
            self.assertTrue((PACKAGE / (name + ".pyi")).exists(), name)

    def test_public_functions_are_annotated(self):
        seen = 0
        for name in moreau.__all__:
            thing = getattr(moreau, name)
            functions = [thing] if inspect.isfunction(thing) else []
            if inspect.isclass(thing):
                for member in vars(thing).values():
                    function = (member.fget if isinstance(member, property) else
                                member.func if isinstance(member, functools.cached_property) else member)
                    if inspect.isfunction(function) and function.__module__.startswith("moreau"):
                        functions.append(function)
            for function in functions:
                if function.__name__.startswith("_") and function.__name__ != "__init__":
                    continue
                if function.__name__ == "__init__" and dataclasses.is_dataclass(thing):
                    continue  # made from the fields, which are annotated
                hints = typing.get_type_hints(function)
                missing = [argument for argument in inspect.signature(function).parameters
                           if argument != "self" and argument not in hints]
                self.assertEqual(missing, [], function.__qualname__)
                self.assertIn("return", hints, function.__qualname__)
                seen += 1
        self.assertGreater(seen, 20)


if __name__ == "__main__":
    unittest.main()
