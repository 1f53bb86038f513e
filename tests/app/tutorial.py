#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""doc/tutorial.md does what it says: its files are written, its commands run, and the lines below a command are said,
numbers to a thousandth."""
import pathlib
import re
import shlex
import unittest

from runs import Runs

PAGE = pathlib.Path(__file__).resolve().parents[2] / "doc" / "tutorial.md"


def parts(text):
    """Of the page, in its order: ("file", name, content) and ("command", words, lines)."""
    name, block = None, []
    for line in [*text.splitlines(), "end"]:
        if line.startswith("    ") or (block and not line):
            block.append(line[4:])
            continue
        for part in re.split(r"\n(?=\$ )", "\n".join(block)):
            first, *said = part.strip().split("\n")
            if first.startswith("$ moreau "):
                yield "command", shlex.split(first)[2:], [line for line in said if line]
            elif first and name:
                yield "file", name, part.strip() + "\n"
        block = []
        if line:
            match = re.fullmatch(r"`(\S+\.(?:prm|csv))`", line)
            name = match[1] if match else None


def same(one, other):
    """Words are equal, numbers to a thousandth, or both are rounding."""
    if len(one) != len(other):
        return False
    for a, b in zip(one, other):
        numbers = [re.fullmatch(r"(\(?)([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)(\)?[,;:]?)", word) for word in (a, b)]
        if all(numbers):
            x, y = (float(number[2]) for number in numbers)
            if abs(x - y) > max(1e-3 * abs(x), 1e-9):
                return False
        elif a != b:
            return False
    return True


def says(text, line):
    """Whether the words of the line are in the text, one after the other."""
    words, wanted = text.split(), line.split()
    return any(same(wanted, words[k:k + len(wanted)]) for k in range(len(words) - len(wanted) + 1))


class Tutorial(Runs):
    def test_the_page_is_true(self):
        found = list(parts(PAGE.read_text()))
        self.assertGreaterEqual(sum(kind == "file" for kind, _, _ in found), 9)
        self.assertGreaterEqual(sum(kind == "command" for kind, _, _ in found), 14)
        n_mistakes = 0
        for kind, what, content in found:
            if kind == "file":
                (self.folder / what).write_text(content)
                continue
            result = self.moreau(*what)
            is_mistake = any(line.startswith("moreau: ") for line in content)
            n_mistakes += is_mistake
            self.assertEqual(result.returncode, 1 if is_mistake else 0, f"{what}\n{result.stderr}")
            self.assertTrue(content, what)
            for line in content:
                self.assertTrue(says(result.stderr if is_mistake else result.stdout, line),
                                f"{what} does not say\n{line}\nbut\n{result.stdout}{result.stderr}")
        self.assertGreaterEqual(n_mistakes, 6)

    def test_other_numbers_and_words_are_seen(self):
        self.assertTrue(says("a  1.0001, b", "1.0, b"))
        self.assertFalse(says("a 1.1, b", "1.0, b"))
        self.assertFalse(says("a 1.0, c", "1.0, b"))


if __name__ == "__main__":
    unittest.main(argv=["tutorial"])
