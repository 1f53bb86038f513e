# SPDX-License-Identifier: GPL-3.0-or-later
"""A case of bad input: the program runs on it, and what it says and leaves is checked."""
import ast
import os
import pathlib
import resource
import subprocess
import sys
import tempfile


class Case:
    """prm and csv: texts of the files; place: "Section/Name" of the message; words: what the sentence must say;
    never: what the log must not hold, of work that is in vain; needs_catalyst: builds without it say that they have none."""

    def __init__(self, prm, place, words, csv=None, options=(), status=1, file_size=None, prepare=None, writes=False,
                 needs_catalyst=False, never=()):
        self.prm, self.csv, self.options = prm, csv, list(options)
        self.place, self.words, self.status, self.never = place, words, status, never
        self.file_size, self.prepare, self.writes, self.needs_catalyst = file_size, prepare, writes, needs_catalyst


def fail(message):
    sys.exit("FAILED: " + message)


def together(*parts):
    """The cases of all parts, of which no two have one name."""
    names = [name for part in parts for name in part]
    doubles = sorted({name for name in names if names.count(name) > 1})
    if doubles:
        fail("cases in two parts: " + ", ".join(doubles))
    return {name: case for part in parts for name, case in part.items()}


def require_one_of_each_name(file):
    """Of two cases of one name Python would keep the second without a word."""
    for node in ast.walk(ast.parse(pathlib.Path(file).read_text())):
        names = [key.value for key in node.keys if isinstance(key, ast.Constant)] if isinstance(node, ast.Dict) else []
        doubles = sorted({name for name in names if names.count(name) > 1})
        if doubles:
            fail(f"cases that are there twice in {file}: " + ", ".join(doubles))


def check_stderr(case, prm, text):
    if text.count("\n") != 1 or not text.endswith("\n"):
        fail("stderr is not one line: " + repr(text))
    start = f"moreau: {prm}: " + (case.place + ": " if case.place else "")
    if not text.startswith(start):
        fail(f"stderr does not start with '{start}': {text}")
    sentence = text[len(start):].rstrip("\n")
    if sentence.count(". ") or sentence[-1] not in ".?":
        fail("not exactly one sentence: " + sentence)
    for word in case.words:
        if word.lower() not in sentence.lower():
            fail(f"'{word}' is missing in: {sentence}")


def check_results(case, out):
    summary = out / "summary.json"
    left_over = [p.name for p in out.rglob("*") if p.name.endswith(".incomplete")] if out.is_dir() else []
    if left_over:
        fail("half-written files: " + ", ".join(left_over))
    if case.status == 2:
        if not summary.exists() or '"not converged"' not in summary.read_text():
            fail("summary.json does not say 'not converged'")
    elif summary.exists():
        fail("a summary.json is there although the run failed")
    elif not case.writes and out.is_dir():
        fail("an output directory is left although nothing was computed")


def has_catalyst(moreau):
    return "Catalyst ParaView" in subprocess.run([moreau, "--version"], text=True, capture_output=True, check=True).stdout


def run(moreau, case):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if case.prm is not None:
            (folder / "case.prm").write_text(case.prm)
        if case.csv is not None:
            (folder / "spheres.csv").write_text(case.csv)
        if case.prepare:
            case.prepare(folder)

        def limits():
            if case.file_size:
                resource.setrlimit(resource.RLIMIT_FSIZE, (case.file_size, case.file_size))

        output = [] if "--output" in case.options else ["--output", "out"]
        # pipes, not files: a limit of the file size must not hit what the program says
        result = subprocess.run([moreau, "case.prm", *output, *case.options], cwd=folder, text=True, capture_output=True,
                                preexec_fn=limits, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"})
        if result.returncode != case.status:
            fail(f"exit status {result.returncode} instead of {case.status}: {result.stderr}")
        if case.needs_catalyst and not has_catalyst(moreau):
            case.words = ["no Catalyst"]
        check_stderr(case, "case.prm", result.stderr)
        check_results(case, folder / "out")
        for words in case.never:
            if words in result.stdout:
                fail(f"'{words}' in vain: {result.stdout}")
        print(result.stderr, end="")
