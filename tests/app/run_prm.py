#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one parameter file and checks what its opening comment promises.

run_prm.py MOREAU FILE.prm

Lines of the form `# expect: WHAT RELATION VALUE` in the file are checked after the run:

    # expect: exit = 0                                   exit status; 0 unless stated
    # expect: status = converged                         a key of summary.json; dots lead into objects, [k] into lists
    # expect: energy_after = 0.1 +- 1e-9                 a number within an absolute tolerance
    # expect: certificate.relative_error_bound <= 1e-6   also >=, <, >
    # expect: spheres.csv[0].ux = -0.6 +- 1e-9           row (counted from 0, also from the end: -1) and column of a .csv
    # expect: spheres.csv.max(y) <= 0.3                  over all rows, also min, mean and sum; of columns and expressions
    # expect: spheres.csv.count(y < 0) = 130 +- 10       rows for which it holds
"""
import csv
import json
import operator
import pathlib
import re
import subprocess
import sys
import tempfile

RELATIONS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}
EXPECTATION = re.compile(r"#\s*expect:\s*(\w+\.csv\.\w+\(.*?\)|\S+)\s*(<=|>=|=|<|>)\s*(.*?)\s*(?:\+-\s*(\S+))?\s*$")


def expectations(prm):
    found = []
    for number, line in enumerate(prm.read_text().splitlines(), 1):
        if re.match(r"#\s*expect", line):
            match = EXPECTATION.match(line)
            if not match:
                sys.exit(f"{prm}:{number}: not of the form '# expect: WHAT RELATION VALUE': {line}")
            found.append(match.groups())
    return found


def steps(path):
    """'a.b[1].c' -> ['a', 'b', 1, 'c']"""
    return [int(index) if index else key for key, index in re.findall(r"([^.\[\]]+)|\[(-?\d+)\]", path)]


OVER_ROWS = {"max": max, "min": min, "sum": sum, "count": sum, "mean": lambda values: sum(values) / len(values)}


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def over_rows(expression, rows):
    """The expression of columns in each row, as numbers."""
    code = compile(expression, expression, "eval")
    return [float(eval(code, {"__builtins__": {}}, {name: float(row[name]) for name in code.co_names})) for row in rows]


def value_of(what, exit_status, output):
    if what == "exit":
        return exit_status
    table = re.match(r"(\w+\.csv)\[(-?\d+)\]\.(\w+)$", what)
    if table:
        return rows_of(output / table[1])[int(table[2])][table[3]]
    table = re.match(r"(\w+\.csv)\.(\w+)\((.*)\)$", what)
    if table:
        return OVER_ROWS[table[2]](over_rows(table[3], rows_of(output / table[1])))
    value = json.loads((output / "summary.json").read_text())
    for step in steps(what):
        value = value[step]
    return value


def holds(value, relation, expected, tolerance):
    if relation != "=":
        return RELATIONS[relation](float(value), float(expected))
    if tolerance:
        return abs(float(value) - float(expected)) <= float(tolerance)
    if value is None:
        return expected == "null"
    if isinstance(value, bool):
        return expected == str(value).lower()
    if isinstance(value, (int, float)):
        return value == float(expected)
    return str(value) == expected


def main(moreau, prm):
    checks = expectations(prm)
    if not checks:
        sys.exit(f"{prm} expects nothing: give it '# expect:' lines")
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "out"
        result = subprocess.run([moreau, str(prm), "--output", str(output)], text=True, capture_output=True, check=False)
        print(result.stdout, result.stderr, sep="")
        if not any(what == "exit" for what, *_ in checks):
            checks.insert(0, ("exit", "=", "0", None))
        failures = 0
        for what, relation, expected, tolerance in checks:
            try:
                value = value_of(what, result.returncode, output)
                good = holds(value, relation, expected, tolerance)
            except (OSError, KeyError, IndexError, TypeError, ValueError) as error:
                value, good = f"{type(error).__name__}: {error}", False
            failures += not good
            print("ok    " if good else "FAILED", what, relation, expected, f"+- {tolerance}" if tolerance else "",
                  "| found", value)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()))
