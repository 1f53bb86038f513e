# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the VTK files that the program writes (doc/formats.md), with numpy alone."""
from __future__ import annotations

import base64
import pathlib
import xml.etree.ElementTree as ElementTree
import zlib
from typing import Any, Dict, List, Tuple

import numpy as np

Arrays = Dict[str, np.ndarray]
DTYPES = {"Float64": "<f8", "Float32": "<f4", "Int64": "<i8", "Int32": "<i4", "UInt8": "u1", "UInt64": "<u8"}


def _uncompressed(text: str) -> bytes:
    """base64 of [blocks, size of a block, of the last one, compressed sizes], then base64 of the blocks."""
    text = text.strip()
    n = int(np.frombuffer(base64.b64decode(text[:12])[:8], "<u8")[0])
    length = -(-8 * (3 + n) // 3) * 4  # of the first text
    sizes = np.frombuffer(base64.b64decode(text[:length]), "<u8")[3:3 + n]
    packed, starts = base64.b64decode(text[length:]), np.concatenate([[0], np.cumsum(sizes)]).astype(int)
    return b"".join(zlib.decompress(packed[starts[k]:starts[k + 1]]) for k in range(n))


def _array(element: Any) -> np.ndarray:
    dtype, text = np.dtype(DTYPES[element.get("type")]), element.text or ""
    if element.get("format") == "ascii":
        values = np.array(text.split(), dtype=dtype)
    else:
        values = np.frombuffer(_uncompressed(text), dtype).copy()
    n = int(element.get("NumberOfComponents", 1))
    return values.reshape(-1, n) if n > 1 else values


def _piece(path: pathlib.Path) -> Arrays:
    root = ElementTree.parse(path).getroot()
    result: Arrays = {}
    for piece in root.iter("Piece"):
        for group in piece:
            prefix = "" if group.tag in ("PointData", "CellData", "Points") else group.tag.lower() + "."
            for element in group.iter("DataArray"):
                name = prefix + element.get("Name")
                if name.startswith("verts."):
                    continue
                result["points" if group.tag == "Points" else name] = _array(element)
    return result


def read_mesh(path: pathlib.Path) -> Arrays:
    """Arrays of a .vtp, .vtu, .pvtp or .pvtu by name; of several pieces those of all, without what connects points."""
    if path.suffix not in (".pvtu", ".pvtp"):
        return _piece(path)
    pieces = [_piece(path.parent / element.get("Source")) for element in ElementTree.parse(path).getroot().iter("Piece")]
    names = [name for name in pieces[0] if "." not in name]
    return {name: np.concatenate([piece[name] for piece in pieces]) for name in names}


def read_collection(path: pathlib.Path) -> Tuple[np.ndarray, List[Dict[str, pathlib.Path]]]:
    """The moments of a .pvd, and the file of every mesh at each of them."""
    moments: Dict[float, Dict[str, pathlib.Path]] = {}
    for element in ElementTree.parse(path).getroot().iter("DataSet"):
        name, time = element.get("name") or element.get("part") or "", float(element.get("timestep"))
        moments.setdefault(time, {})[name] = path.parent / element.get("file")
    return np.array(list(moments)), list(moments.values())
