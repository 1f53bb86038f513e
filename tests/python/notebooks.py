# SPDX-License-Identifier: GPL-3.0-or-later
"""A notebook of examples/notebooks is what it says: valid (nbformat 4.4), laid out in one way, and its cells, run one after
the other in an empty folder, print what is stored below them (numbers to a hundredth) and draw the pictures that are stored.

    notebooks.py NOTEBOOK            checks; status 77 where a cell says that something which it needs is not installed
    notebooks.py --update NOTEBOOK   runs the cells and stores what they print and draw

Neither Jupyter nor nbconvert is needed. Without matplotlib the cells run, and pictures are neither drawn nor compared."""
import argparse
import base64
import contextlib
import io
import json
import os
import pathlib
import re
import sys
import tempfile
import types
import warnings

import numpy as np

LARGEST = 60000  # bytes of a notebook
VARIES = "# differs in detail from machine to machine"  # first line of cells of which only words and kinds of outputs count
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?")
COMMON, OF_CODE = {"cell_type", "metadata", "source"}, {"execution_count", "outputs"}
METADATA = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"}}

warnings.simplefilter("error")
os.environ["MPLBACKEND"] = "agg"
try:
    import matplotlib.pyplot as plt
    from PIL import Image
except ImportError as missing:
    print(f"{missing}: pictures are neither drawn nor compared.")
    plt = None


class Nothing(types.ModuleType):
    """Stands for matplotlib where it is not installed: takes every call, and unpacks as two of its kind."""

    def __getattr__(self, name):
        return Nothing(name)

    def __call__(self, *_, **__):
        return self

    def __iter__(self):
        return iter((self, self))


if plt is None:
    for name in ("matplotlib", "matplotlib.pyplot", "matplotlib.collections"):
        sys.modules[name] = Nothing(name)


def demand(condition, sentence):
    if not condition:
        sys.exit(f"{arguments.notebook.name}: {sentence}")


def laid_out(notebook):
    return json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def lines(text):
    return text.splitlines(keepends=True)


def check_structure(notebook):
    """The schema of nbformat 4.4, as far as these notebooks use it."""
    demand(set(notebook) == {"cells", "metadata", "nbformat", "nbformat_minor"}, "not the four entries of a notebook.")
    demand((notebook["nbformat"], notebook["nbformat_minor"]) == (4, 4), "not nbformat 4.4.")
    demand(notebook["metadata"] == METADATA, "metadata of an editor; store it with --update.")
    for k, cell in enumerate(notebook["cells"]):
        demand(cell["cell_type"] in ("code", "markdown"), f"cell {k} is neither code nor markdown.")
        keys = COMMON | (OF_CODE if cell["cell_type"] == "code" else set())
        demand(set(cell) == keys and cell["metadata"] == {}, f"cell {k} has {sorted(cell)}.")
        source = cell["source"]
        demand(isinstance(source, list) and all(isinstance(line, str) for line in source), f"cell {k} has no list of lines.")
        demand(all(line.endswith("\n") for line in source[:-1]), f"lines of cell {k} do not end.")
        demand(max(len(line) for line in laid_out(cell).splitlines()) <= 123, f"cell {k} has a line beyond 125 columns.")
    with contextlib.suppress(ImportError):
        import nbformat
        nbformat.validate(notebook)


def picture(figure):
    """A PNG of few colours, in lines as a notebook stores it."""
    file = io.BytesIO()
    figure.savefig(file, dpi=60)
    small = io.BytesIO()
    few = Image.open(file).convert("RGB").quantize(48, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(small, "PNG", optimize=True)
    return lines(base64.encodebytes(small.getvalue()).decode())


def outputs_of(source, scope, title):
    """What a cell prints and draws."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile("".join(source), title, "exec"), scope)
    found = []
    if said.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": lines(said.getvalue())})
    if plt is not None:
        for number in plt.get_fignums():
            found.append({"data": {"image/png": picture(plt.figure(number)), "text/plain": ["<Figure>"]}, "metadata": {},
                          "output_type": "display_data"})
        plt.close("all")
    return found


def same_text(stored, found, varies):
    stored, found = "".join(stored), "".join(found)
    numbers = [np.array([float(x) for x in NUMBER.findall(text)]) for text in (stored, found)]
    blank = [re.sub(" +", "", NUMBER.sub("#", text)) for text in (stored, found)]
    return blank[0] == blank[1] and (varies or np.allclose(*numbers, rtol=1e-2, atol=1e-6))


def same_picture(stored, found, varies):
    """Most pixels: fonts and lines may be smoothed in another way."""
    files = (io.BytesIO(base64.b64decode("".join(data))) for data in (stored, found))
    a, b = (np.asarray(Image.open(file).convert("L"), float) for file in files)
    return a.shape == b.shape and (varies or np.abs(a - b).mean() < 6.)


def compare(k, stored, found, varies):
    if plt is None:
        stored = [output for output in stored if output["output_type"] == "stream"]
    kinds = [[output["output_type"] for output in outputs] for outputs in (stored, found)]
    demand(kinds[0] == kinds[1], f"cell {k} stores {kinds[0]} and has {kinds[1]}.")
    for a, b in zip(stored, found):
        if a["output_type"] == "stream":
            demand(same_text(a["text"], b["text"], varies),
                   f"cell {k} stores\n{''.join(a['text'])}\nand prints\n{''.join(b['text'])}")
        else:
            demand(same_picture(a["data"]["image/png"], b["data"]["image/png"], varies), f"cell {k} draws another picture.")


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--update", action="store_true")
parser.add_argument("notebook", type=pathlib.Path)
arguments = parser.parse_args()
arguments.notebook = arguments.notebook.resolve()

text = arguments.notebook.read_text(encoding="utf-8")
content = json.loads(text)
if not arguments.update:
    demand(text == laid_out(content), "not laid out as json.dumps(indent=1, sort_keys=True) does; store it with --update.")
    demand(len(text.encode()) <= LARGEST, f"{len(text.encode())} bytes are more than {LARGEST}.")
    check_structure(content)

variables, count = {"__name__": "__main__"}, 0
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for k, cell in enumerate(content["cells"]):
        if cell["cell_type"] != "code":
            continue
        count += 1
        try:
            outputs = outputs_of(cell["source"], variables, f"cell {k}")
        except SystemExit as end:
            print(f"skipped: {end}")
            os.chdir("/")
            sys.exit(77)
        if arguments.update:
            cell["outputs"], cell["execution_count"] = outputs, count
        else:
            demand(cell["execution_count"] == count, f"cell {k} was not run in its turn; store it with --update.")
            compare(k, cell["outputs"], outputs, cell["source"][0].strip() == VARIES)
    os.chdir("/")
demand(count > 3, "fewer than four cells of code.")
if arguments.update:
    content = {**content, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 4}
    for cell in content["cells"]:
        cell["metadata"] = {}
        cell.pop("id", None)
    check_structure(content)
    arguments.notebook.write_text(laid_out(content), encoding="utf-8")
print(f"{count} cells of code")
