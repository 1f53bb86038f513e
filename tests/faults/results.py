# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of runs that something has interrupted, beside those of one that nothing did."""
import csv
import json
import xml.etree.ElementTree

CLOCK_COLUMNS = {"search_time", "projection_time", "transport_time", "congestion_time", "wall_time", "bound_wall_time",
                 "seconds"}  # and all that begin with seconds_
CLOCK_KEYS = {"peak_memory_bytes", "resumed", "seconds", "observed_cost", "command", "date", "host", "threads"}  # and all that end in _s
OF_ONE_RUN = {"log.txt", "parameters.prm", "checkpoint.moreau", "costs.png"}
TABLES = {"statistics.csv", "convergence.csv", "comparison.csv"}


def names(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file() or path.is_symlink()}


def without_clocks(tree):
    if isinstance(tree, dict):
        return {key: without_clocks(value) for key, value in tree.items()
                if key not in CLOCK_KEYS and not key.endswith("_s")}
    return [without_clocks(value) for value in tree] if isinstance(tree, list) else tree


def rows(table):
    with open(table, newline="") as file:
        lines = list(csv.reader(line for line in file if not line.startswith("#")))
    kept = [k for k, name in enumerate(lines[0]) if name not in CLOCK_COLUMNS and not name.startswith("seconds_")]
    return [[line[k] for k in kept] for line in lines]


def file_differs(one, other):
    if one.name == "summary.json":
        return without_clocks(json.loads(one.read_text())) != without_clocks(json.loads(other.read_text()))
    if one.name in TABLES:
        return rows(one) != rows(other)
    return one.read_bytes() != other.read_bytes()


def differences(one, other):
    """What is not the same in two folders, clocks apart."""
    found = [f"only one has {name}" for name in sorted(names(one) ^ names(other))]
    return found + [f"{name} differs" for name in sorted((names(one) & names(other)) - OF_ONE_RUN)
                    if file_differs(one / name, other / name)]


def what_is_not_whole(folder, reference):
    """Of a run that failed and kept what there was: files that are only begun, or are not those of the whole run."""
    if not folder.exists():
        return []
    present = names(folder)
    found = [f"{name} is left" for name in sorted(present) if name.endswith(".incomplete") or name.startswith(".")]
    if "summary.json" in present:
        found.append("summary.json is there")
    for name in sorted(present - OF_ONE_RUN - {"summary.json"}):
        file, whole = folder / name, reference / name
        if name.endswith(".incomplete") or name.startswith("."):
            continue
        if not whole.exists():
            found.append(f"{name} is no file of the whole run")
        elif name.endswith(".csv"):
            if not file.read_bytes().endswith(b"\n") or rows(file) != rows(whole)[:len(rows(file))]:
                found.append(f"{name} is not a beginning of the whole one")
        elif name == "solution.pvd":
            listed = {entry.get("file") for entry in xml.etree.ElementTree.parse(file).iter("DataSet")}
            found += [f"solution.pvd lists {missing}, which is not there" for missing in sorted(listed - present)]
        elif file.read_bytes() != whole.read_bytes():
            found.append(f"{name} differs")
    return found
