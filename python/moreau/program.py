# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameter files: what the program computes, and what it has left in an output directory."""
from __future__ import annotations

import csv
import json
import numbers
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

import numpy as np

from . import _checks, _paths, _vtk

Path = Union[str, "os.PathLike[str]"]


class Run(Mapping[str, Any]):
    """What a run has left: o["energy_after"] is a key of its summary.json.

    summary   the whole of summary.json, a dict
    tables    of every .csv: tables["spheres"]["x"] is an array; text stays text
    times     moments of the pictures, s; level or cycle where there is no time
    arrays(k) of moment k (default: the last): arrays()["continuum"]["u"] is (cells, 3), ["points"] (points, 3), ...
    path      the output directory
    """

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.summary: Dict[str, Any] = json.loads((path / "summary.json").read_text(encoding="utf-8"))
        if not isinstance(self.summary, dict) or not {"problem", "status"} <= self.summary.keys():
            raise ValueError("its summary.json is that of another program")
        self.tables = {file.stem: _table(file) for file in sorted(path.glob("*.csv"))}
        pictures = path.absolute() / "solution.pvd"  # wherever the interpreter goes
        self.times, self._files = _vtk.read_collection(pictures) if pictures.exists() else (np.empty(0), [])

    def arrays(self, k: int = -1) -> Dict[str, Dict[str, np.ndarray]]:
        """Meshes and their arrays at a moment."""
        k = _checks.integer("k", k, -2**31)
        if not -len(self._files) <= k < len(self._files):
            raise ValueError(f"{self.path} has pictures of {len(self._files)} moments, but number {k} is asked for.")
        return {name: _vtk.read_mesh(file) for name, file in self._files[k].items()}

    @property
    def converged(self) -> bool:
        """Whether everything met its tolerance."""
        return self.summary["status"] == "converged"

    @property
    def certificate(self) -> Dict[str, Any]:
        return self.summary["certificate"]

    def __getitem__(self, key: str) -> Any:
        return self.summary[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.summary)

    def __len__(self) -> int:
        return len(self.summary)

    def __repr__(self) -> str:
        return f"<moreau.Run: {self.summary['problem']}, {self.summary['status']}, in {self.path}>"


def _table(file: pathlib.Path) -> Dict[str, np.ndarray]:
    with open(file, newline="", encoding="utf-8") as stream:
        rows = list(csv.reader(line for line in stream if not line.startswith("#") and line.strip()))
    columns: Dict[str, np.ndarray] = {}
    for k, name in enumerate(rows[0] if rows else []):
        texts = [row[k] if k < len(row) else "" for row in rows[1:]]
        try:
            columns[name] = np.array([float(text) if text else np.nan for text in texts])
        except ValueError:
            columns[name] = np.array(texts)
    return columns


def read(directory: Path) -> Run:
    """What a run has left in its output directory. Raises ValueError where no run has ended there."""
    path = _path("directory", directory)
    if not (path / "summary.json").is_file():
        raise ValueError(f"{path} holds no summary.json: no run has ended there.")
    try:
        return Run(path)
    except (ValueError, LookupError, TypeError, AttributeError, SyntaxError) as error:  # of json, tables, XML
        words = " ".join(str(error).split()) or type(error).__name__
        raise ValueError(f"{path} holds files that no run of moreau has left: {words}.") from None


def _program() -> str:
    for candidate in (os.environ.get("MOREAU_PROGRAM"), _paths.program):
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    found = shutil.which("moreau")
    if found is None:
        raise RuntimeError("The program moreau is not there: this is a build of MOREAU_COMPONENTS=micro; put the program in "
                           "the PATH, or its name in the environment variable MOREAU_PROGRAM.")
    return found


def _path(name: str, value: Path) -> pathlib.Path:
    try:
        text = os.fsdecode(value)
    except TypeError:
        raise ValueError(f"{name} is {_checks.shown(value)}, but it must be a path.") from None
    if not text or "\0" in text:
        raise ValueError(f"{name} is {_checks.shown(text)}, but it must be a path.")
    return pathlib.Path(text)


def _word(path: pathlib.Path) -> str:
    """For the command line, where an option begins with '-'."""
    return os.path.join(".", path) if str(path).startswith("-") else str(path)


def _text(name: str, value: Any) -> str:
    """As a parameter file says it."""
    value = _checks.scalar(value)
    if isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value) == 1 and not np.ma.is_masked(value):
        return ", ".join(_text(name, entry) for entry in value)
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, (str, os.PathLike)):
        return _checks.plain_text(name, os.fspath(value))
    raise ValueError(f"{name} is {_checks.shown(value)}, but it must be a number, a text, True or False, or a list of them.")


def _settings(settings: Optional[Mapping[str, Any]]) -> Dict[str, str]:
    """Names, with blanks that count once as in the program, and values."""
    if settings is None:
        return {}
    if not isinstance(settings, Mapping) or not all(isinstance(name, str) for name in settings):
        raise ValueError(f"settings is {_checks.shown(settings)}, but it must be a dict {{'Section/Name': value}}.")
    return {" ".join(name.split()): _text(f"settings['{_checks.in_one_line(name)}']", value)
            for name, value in settings.items()}


def run(file: Path, settings: Optional[Mapping[str, Any]] = None, *, output: Optional[Path] = None, processes: int = 1,
        resume: bool = False, timeout: Optional[float] = None) -> Run:
    """Runs the program with a parameter file, in a process of its own, and reads what it leaves.

    file       a .prm file, or its text (anything with a line feed)
    settings   {"Section/Name": value}: parameters that differ from the file, as `--set` of the command line
    output     the output directory; None: as the settings or the file say, or a new temporary one for text that does not
    processes  more than one: under mpirun, as root and with more processes than cores, too
    resume     goes on from a checkpoint
    timeout    s; then the program is told to end, as by Ctrl-C, and subprocess.TimeoutExpired raised. Motions and flows
               write a checkpoint before, from which resume=True goes on; what takes more than ten seconds for it is killed

    Raises ValueError with the program's sentence where the input is at fault, RuntimeError where something else is. A run
    that missed a tolerance is returned: o.converged is False.

    >>> o = moreau.run("set Problem = micro impact\\n", {"Spheres/Spheres per unit length": 8})
    >>> o["status"], o.tables["spheres"]["x"].shape
    ('converged', (76,))
    """
    processes = _checks.integer("processes", processes, 1, 65536)
    timeout = None if timeout is None else _checks.number("timeout", timeout, 0., above=True)
    given, target = _settings(settings), None if output is None else _path("output", output)
    folder = None
    if isinstance(file, str) and "\n" in file:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="moreau_"))
        name = folder / "text.prm"
        name.write_text(file, encoding="utf-8")
        otherwise = folder / "output"
    else:
        name = _path("file", file)
        otherwise = None
    try:
        return _run(name, given, target or _output_of(name, given, otherwise), processes, resume, timeout)
    finally:
        if folder is not None and not (folder / "output").exists():
            shutil.rmtree(folder, ignore_errors=True)


def _run(name: Any, given: Dict[str, str], target: Any, processes: int, resume: bool, timeout: Optional[float]) -> Run:
    """run() of a file."""
    arguments = [_word(name), "--quiet", "--output", str(target)] + ["--resume"] * _checks.truth("resume", resume)
    for key, value in given.items():
        arguments += ["--set", f"{key}={value}"]
    command = (["mpirun", "-n", str(processes)] if processes > 1 else []) + [_program()] + arguments
    status, said = _ended(command, _environment(processes), timeout)
    if status in (0, 2):
        return read(target)
    sentence = next((line[8:] for line in said.splitlines() if line.startswith("moreau: ")), said.strip())
    if status == 1:
        raise ValueError(sentence)
    raise RuntimeError(sentence or f"the program ended with status {status} and said nothing")


def _ended(command: List[str], environment: Dict[str, str], timeout: Optional[float]) -> Tuple[int, str]:
    """Its status and what it said on stderr. In a session of its own: else Ctrl-C of a terminal would reach it as well, and
    of a second signal it ends at once, without a checkpoint."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", env=environment, start_new_session=True) as program:
        try:
            said = program.communicate(timeout=timeout)[1]
        except BaseException:
            # mpirun passes SIGUSR1 on and waits; of SIGTERM it kills all processes a second later
            for how in [signal.SIGUSR1] * (command[0] == "mpirun") + [signal.SIGTERM, signal.SIGKILL]:
                program.send_signal(how)
                try:
                    program.communicate(timeout=10.)
                    break
                except (subprocess.TimeoutExpired, KeyboardInterrupt):  # or Ctrl-C once more
                    pass
            raise
    return program.returncode, said


def _environment(processes: int) -> Dict[str, str]:
    """What scripts/mpirun sets, unless it is set: OpenMPI refuses root, and more processes than cores."""
    mpi = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    if processes > len(os.sched_getaffinity(0)):
        mpi["OMPI_MCA_mpi_yield_when_idle"] = "1"
    return {**mpi, **os.environ} if processes > 1 else dict(os.environ)


def _output_of(name: pathlib.Path, settings: Mapping[str, str], otherwise: Optional[pathlib.Path]) -> pathlib.Path:
    """As the settings or the file say; else `otherwise`, or output/ and the name of the file."""
    if settings.get("Output directory"):
        return pathlib.Path(settings["Output directory"])
    try:
        lines = name.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []  # the program says what is wrong
    for line in _joined(lines):
        words = line.split("=", 1)
        if len(words) == 2 and words[0].split() in (["set", "Output", "directory"], ["SET", "Output", "directory"]) and \
                words[1].strip():
            return pathlib.Path(" ".join(words[1].split()))  # blanks count once
    return otherwise or pathlib.Path("output") / name.stem


def _joined(lines: List[str]) -> Iterator[str]:
    """Without comments; lines that end with a backslash go on in the next one."""
    begun = ""
    for line in lines:
        begun += line.split("#")[0].strip()
        if begun.endswith("\\"):
            begun = begun[:-1].rstrip() + " "
            continue
        yield begun
        begun = ""
    yield begun


def convert(source: Path, target: Path, *, units: Optional[str] = None, dimension: Optional[int] = None) -> Optional[str]:
    """Spheres or projections from one format to another, by the ends of the names, as `moreau convert` does: .npz, folders
    of Matrix Market, FCLib (.hdf5), CSV, data and dumps of LAMMPS, .vtp to read.

    source     the file to read
    target     the file to write
    units      of LAMMPS where the file does not name them: "si", "cgs", "micro", "nano", "lj"
    dimension  of spheres, where the file does not tell it

    Returns what the program remarks, as friction that was set aside, or None. Raises ValueError for files that it refuses.
    """
    words = ["convert", _word(_path("source", source)), _word(_path("target", target))]
    words += [] if units is None else ["--units", _checks.text("units", units, ("si", "cgs", "micro", "nano", "lj"))]
    words += [] if dimension is None else ["--dimension", str(_checks.integer("dimension", dimension, 1, 3))]
    return _exchange(words, (0,)).stderr.strip() or None


def certify_file(problem: Path, answer: Optional[Path] = None, *, tolerance: float = 1e-6) -> Dict[str, Any]:
    """How far the answer of any program can be from the exact projection, as `moreau certify` says.

    problem    a projection, or spheres that touch, in any of the formats of convert()
    answer     u, p or both in a file of its own; None: the one that is with the problem, or our own solution
    tolerance  relative error bound demanded

    Returns a dict: `certified`, `error_at_least`, `error_at_most`, `guaranteed`, `certificate`, ... Raises ValueError for
    files that it refuses.
    """
    words = ["certify", _word(_path("problem", problem))] + ([] if answer is None else [_word(_path("answer", answer))])
    words += ["--tolerance", repr(_checks.number("tolerance", tolerance, 1e-14, 1.))]
    said: Dict[str, Any] = json.loads(_exchange(words, (0, 2)).stdout)
    return said


def _exchange(words: List[str], good: tuple) -> "subprocess.CompletedProcess[str]":
    ran = subprocess.run([_program(), *words], text=True, capture_output=True, check=False)
    if ran.returncode == 1:
        raise ValueError(ran.stderr.strip().removeprefix("moreau: "))
    if ran.returncode not in good:
        raise RuntimeError(ran.stderr.strip().removeprefix("moreau: "))
    return ran
