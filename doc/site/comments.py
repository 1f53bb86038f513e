#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Doxygen's INPUT_FILTER: comments as the headers have them become commands of doxygen.

    comments.py HEADER            the header as doxygen is to read it, on standard output

Comments of this project are plain text: `<Bu - b, p>`, `B*p` and `M(U - u) = B^T p` are formulas, not markup. Lines that are
indented by four are shown as they stand; `  name  meaning`, indented by two above a function, is a parameter that doxygen
compares with the declaration, elsewhere a row of a table; words between backticks are code. What stands above the namespace
is about the file."""
import pathlib
import re
import sys

COMMENT = re.compile(r"^(\s*)///(?!<)(?: (.*)|)$")
TRAILING = re.compile(r"^(.*?)///<(.*)$")
ITEM = re.compile(r"^ {2,3}([\w.*,/ ]*?[\w.*]) {2,}(\S.*)$")
NAMES = re.compile(r"[^\W\d]\w*(, [^\W\d]\w*)*")


def escaped(text):
    """Plain text, with code between backticks."""

    def plain(part):
        part = re.sub(r"([\\@<>&#%\"$])", r"\\\1", part)
        return re.sub(r"::", r"\\::", re.sub(r"(?<=-)(?=-)", "&zwj;", part)) if "--" in part else part

    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return plain(text)
    return "".join(f"<code>{plain(piece)}</code>" if k % 2 else plain(piece) for k, piece in enumerate(pieces))


def html(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def is_function(declaration):
    """Of the lines below a comment, up to the first ';' or '{'."""
    head = re.split(r"[;{]", declaration)[0]
    return "(" in head and not re.match(r"\s*(template\s*<[^>]*>\s*)?(struct|class|enum|namespace|using)\b", head)


def commands(lines, declaration):
    """The lines of a comment for doxygen."""
    result, preformatted, items, function = [], [], [], is_function(declaration)

    def close():
        if preformatted:
            # verbatim, for what looks like a list, a command or an end of a comment is none
            result.extend(["", "@verbatim", *preformatted, "@endverbatim"])
            preformatted.clear()
        if items:
            if function and all(NAMES.fullmatch(name) and "result" not in name.split(", ") for name, _ in items):
                for name, meaning in items:
                    result.append(
                        f"@return {escaped(meaning)}"
                        if name == "returns"
                        else f"@param {name.replace(', ', ',')} {escaped(meaning)}"
                    )
                result.append("")
            else:
                result.append("<table>")
                result.extend(
                    f"<tr><td><code>{escaped(name)}</code></td><td>{escaped(meaning)}</td></tr>" for name, meaning in items
                )
                result.extend(["</table>", ""])
            items.clear()

    for line in lines:
        item = ITEM.match(line)
        indent = len(line) - len(line.lstrip()) if line.strip() else 0
        if item and not preformatted:
            first, *others = re.split(r"; {2,}(?=\w+ {2,})", item[2])  # "u   length n;  p   length m"
            items.append((item[1], first))
            items.extend(re.split(r" {2,}", other, 1) for other in others)
        elif items and indent >= 4:
            items[-1] = (items[-1][0], items[-1][1] + " " + line.strip())
        elif indent >= 4 and line.strip():
            preformatted.append(line[4:])
        else:
            close()
            result.append(escaped(line.strip()))
    close()
    return result


def filtered(text):
    lines = text.splitlines()
    result, at, of_file = [], 0, False
    while at < len(lines):
        match = COMMENT.match(lines[at])
        if match:
            block = []
            while at < len(lines) and (match := COMMENT.match(lines[at])):
                block.append(match[2] or "")
                at += 1
            indent = match[1] if match else ""
            below = "\n".join(lines[at : at + 12])
            if re.match(r"\s*namespace\b", below):
                block, of_file = ["@file", "", *commands(block, "")], True
            else:
                block = commands(block, below)
            result.extend(f"{indent}/// {line}".rstrip() for line in block)
            continue
        trailing = TRAILING.match(lines[at])
        result.append(f"{trailing[1]}///<{escaped(trailing[2])}" if trailing else lines[at])
        at += 1
    return "\n".join(result if of_file else ["/// @file", "", *result]) + "\n"


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(filtered(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")))
