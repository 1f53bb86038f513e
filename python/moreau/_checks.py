# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments as the compiled parts want them: every complaint is one ValueError with one sentence."""
from __future__ import annotations

import math
import numbers
from typing import Any, Callable, Optional, Sequence, Tuple, Union

import numpy as np
import scipy.sparse

from . import _micro

Axis = Union[int, str]


def _in_words(shape: Sequence[Axis]) -> str:
    return "(" + ", ".join(str(axis) for axis in shape) + ("," if len(shape) == 1 else "") + ")"


def shown(value: Any) -> str:
    """In one line, shortened."""
    words = " ".join(repr(value).split())
    return words if len(words) <= 60 else words[:57] + "..."


def in_one_line(value: Any) -> str:
    """Names of things, for messages: what cannot be printed is '?'."""
    return "".join(letter if letter.isprintable() else "?" for letter in str(value))


def _is_masked(value: Any) -> bool:
    """Whether numpy would drop a mask: of an array, or of rows of a list."""
    if isinstance(value, (list, tuple)):
        return any(_is_masked(row) for row in value if isinstance(row, (list, tuple, np.ma.MaskedArray)))
    return bool(np.ma.is_masked(value))


def unmasked(name: str, value: Any) -> np.ndarray:
    """As an array; ValueError where entries are masked, rows differ in length, or there are none, as of generators."""
    if _is_masked(value):
        raise ValueError(f"{name} has entries that are masked, but every one must be a number; fill them, or leave them out.")
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} is no array: its rows differ in length.") from None
    if array.ndim == 0 and array.dtype.kind == "O":
        raise ValueError(f"{name} is {shown(value)}, but it must be an array of numbers, or a list.")
    return array


def fields_of(name: str, kind: Callable[..., Any], value: Any, words: str) -> Any:
    """A named tuple of this kind, or any list or tuple of its fields."""
    try:
        if isinstance(value, (str, bytes, dict)):
            raise TypeError
        return kind(*value)
    except TypeError:
        raise ValueError(f"{name} is {shown(value)}, but it must be {words}.") from None


def scalar(value: Any) -> Any:
    """The number in an array without dimensions."""
    is_one = isinstance(value, np.ndarray) and value.ndim == 0 and not np.ma.is_masked(value)
    return value[()] if is_one else value


def _of_kind(name: str, array: np.ndarray, kinds: str) -> np.ndarray:
    if array.dtype.kind not in kinds:
        raise ValueError(f"{name} holds {array.dtype}, but it must hold real numbers; convert it with astype(float).")
    return array


def values_of(name: str, function: Callable[..., Any], kinds: str = "fiu") -> Callable[..., np.ndarray]:
    """The function, whose results are looked at: arrays of numbers of these kinds; their shape is looked at by who calls it."""
    return lambda *arguments: _of_kind(f"What {name} returns", unmasked(f"What {name} returns", function(*arguments)), kinds)


def reals(name: str, value: Any, shape: Sequence[Axis], unit: str = "") -> np.ndarray:
    """A C-contiguous array of finite doubles; `value` itself where it is one. An axis is a length, or a letter for any."""
    array = _of_kind(name, unmasked(name, value), "fiu")
    if array.ndim != len(shape) or any(isinstance(k, int) and k != n for k, n in zip(shape, array.shape)):
        raise ValueError(f"{name} has shape {_in_words(array.shape)}, but it must have shape {_in_words(shape)}"
                         + (f", in {unit}." if unit else "."))
    array = np.ascontiguousarray(array, dtype=np.float64)
    if not array.flags.aligned:
        array = array.copy()
    if not _micro.is_finite(array):
        place = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name}[{', '.join(map(str, place))}] is {array[place]}, but it must be a finite number.")
    return array


def positive(name: str, array: np.ndarray) -> np.ndarray:
    if not _micro.is_positive(array):
        k = int(np.argmin(array > 0))
        raise ValueError(f"{name}[{k}] is {array[k]}, but it must be positive.")
    return array


def number(name: str, value: Any, low: float = -np.inf, high: float = np.inf, *, above: bool = False) -> float:
    """A finite number in [low, high]; in (low, high] where `above`."""
    if type(value) is not float:  # of which abstract classes take ten times longer to know
        value = scalar(value)
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (numbers.Real, np.floating, np.integer)):
            raise ValueError(f"{name} is {shown(value)}, but it must be a real number.")
    try:
        result = float(value)
    except OverflowError:
        result = np.inf
    if not math.isfinite(result) or result < low or result > high or (above and result == low):
        wanted = (f"lie in {'(' if above else '['}{low:g}, {high:g}]" if np.isfinite(high) else
                  "be positive" if above and low == 0 else f"be a finite number >= {low:g}" if np.isfinite(low) else
                  "be a finite number")
        raise ValueError(f"{name} is {result:g}, but it must {wanted}.")
    return result


def accuracy(value: Any, solver: Any) -> float:
    """In [0, .999]; > 0 only where lines may solve."""
    result = number("accuracy", value, 0., .999)
    if result > 0. and not (isinstance(solver, str) and solver in ("automatic", "lines")):
        raise ValueError(f"accuracy is for solver 'automatic' and 'lines', but that is {shown(solver)}.")
    return result


def integer(name: str, value: Any, low: int, high: int = 2**31 - 1) -> int:
    if type(value) is not int:
        value = scalar(value)
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (numbers.Integral, np.integer)):
            raise ValueError(f"{name} is {shown(value)}, but it must be a whole number.")
    if not low <= int(value) <= high:
        raise ValueError(f"{name} is {int(value)}, but it must lie between {low} and {high}.")
    return int(value)


def truth(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} is {shown(value)}, but it must be True or False.")
    return bool(value)


def plain_text(name: str, value: Any) -> str:
    """In one line, as settings of the program are."""
    words = " ".join(value.split()) if isinstance(value, str) else ""
    if not isinstance(value, str) or not words.isprintable():
        raise ValueError(f"{name} is {shown(value)}, but it must be a text that can be printed.")
    return words


def text(name: str, value: Any, choices: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} is {shown(value)}, but it can be: {', '.join(choices)}.")
    return value


def spheres(x: Any, radii: Any, masses: Any = None) -> Tuple[np.ndarray, np.ndarray, Optional[np.ndarray]]:
    """Centres (n, d), radii (n,) or one for all, masses (n,) or None."""
    x = reals("x", x, ("n", "d"), "m")
    n, d = x.shape
    if not 1 <= d <= 3:
        raise ValueError(f"x has shape {_in_words(x.shape)}, but spheres live in dimension 1, 2 or 3; give (n, d).")
    if n == 0:
        raise ValueError("x holds no sphere; give at least one row.")
    if np.ndim(radii) == 0:
        radii = np.full(n, number("radii", radii, 0., above=True))
    radii = positive("radii", reals("radii", radii, (n,), "m"))
    if masses is not None:
        if np.ndim(masses) == 0:
            masses = np.full(n, number("masses", masses, 0., above=True))
        masses = positive("masses", reals("masses", masses, (n,), "kg"))
    return x, radii, masses


def contacts(value: Any) -> Optional[np.ndarray]:
    """Pairs (m, 2) of C ints; that they are sorted and in range is checked where the numbers of bodies are known."""
    if value is None:
        return None
    pairs = unmasked("contacts", value)
    if pairs.size == 0:
        pairs = np.empty((0, 2), dtype=np.intc)
    if pairs.dtype.kind not in "iu":
        raise ValueError(f"contacts holds {pairs.dtype}, but it must hold whole numbers: indices of spheres and walls.")
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"contacts has shape {_in_words(pairs.shape)}, but it must have shape (m, 2).")
    if pairs.size and (pairs.min() < 0 or pairs.max() > 2**31 - 1):
        raise ValueError("contacts holds a number that is no index; number spheres from 0, and walls behind them.")
    return np.ascontiguousarray(pairs, dtype=np.intc)


def periodic_box(lower: Any, period: Any, d: int) -> Tuple[np.ndarray, np.ndarray]:
    """Both of length d, or of length 0 where none is given."""
    if (lower is None) != (period is None):
        raise ValueError("lower and period belong together; give both for a periodic box, or none.")
    if lower is None:
        return np.empty(0), np.empty(0)
    lower, period = reals("lower", lower, (d,), "m"), reals("period", period, (d,), "m")
    if (period < 0).any():
        raise ValueError("period has a negative entry; 0 says that a direction is not periodic.")
    for k in np.flatnonzero(period):
        if not lower[k] < float(lower[k]) + float(period[k]) < np.inf:
            raise ValueError(f"period[{k}] is {period[k]:g} and lower[{k}] is {lower[k]:g}, but their sum must be another number "
                             "than lower.")
    return lower, period


def within(x: np.ndarray, lower: np.ndarray, period: np.ndarray) -> np.ndarray:
    """The images of the points x (n, d) that lie in the box; x itself to the last digit where it does."""
    result = x.copy()
    for k in np.flatnonzero(period):
        upper = lower[k] + period[k]
        outside = (x[:, k] < lower[k]) | (x[:, k] >= upper)
        moved = lower[k] + np.mod(x[outside, k] - lower[k], period[k])
        result[outside, k] = np.where(moved < upper, moved, lower[k])  # by rounding
    return result


def csr(B: Any) -> Tuple[Tuple[np.ndarray, np.ndarray, np.ndarray, int, int], int, int]:
    """What the compiled parts take for a matrix, and its shape (m, n). A CSR matrix of doubles is not copied here."""
    if scipy.sparse.issparse(B):
        matrix = B.tocsr()
    else:
        matrix = scipy.sparse.csr_matrix(reals("B", B, ("m", "n")))
    if matrix.dtype.kind not in "fiu":
        raise ValueError(f"B holds {matrix.dtype}, but it must hold real numbers; convert it with astype(float).")
    m, n = matrix.shape
    if n == 0:
        raise ValueError("B has no column, but there must be at least one unknown.")
    if matrix.nnz > 2**31 - 1 or max(m, n) > 2**31 - 2:
        raise ValueError(f"B has {matrix.nnz} entries and shape ({m}, {n}), more than 2^31 are too many.")
    starts, columns = np.asarray(matrix.indptr), np.asarray(matrix.indices)
    if len(starts) != m + 1 or starts[0] != 0 or starts[-1] > len(matrix.data) or len(columns) != len(matrix.data) or \
            (np.diff(starts) < 0).any() or (len(columns) and (columns.min() < 0 or columns.max() >= n)):
        raise ValueError("B is no valid CSR matrix: its indptr and indices do not fit its shape; build it anew.")
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    nnz = matrix.indptr[-1]  # arrays may be longer
    data = np.ascontiguousarray(matrix.data[:nnz], dtype=np.float64)
    if not np.isfinite(data).all():
        raise ValueError("B holds an entry that is not finite; every entry must be a number.")
    indices, starts = np.ascontiguousarray(matrix.indices[:nnz], np.intc), np.ascontiguousarray(matrix.indptr, np.intc)
    return (data, indices, starts, m, n), m, n
