# SPDX-License-Identifier: GPL-3.0-or-later
"""The little TeX that the notebooks have, as MathML, which browsers draw themselves."""
import html
import re

SYMBOLS = {
    "ge": "≥",
    "le": "≤",
    "cdot": "·",
    "times": "×",
    "in": "∈",
    "partial": "∂",
    "int": "∫",
    "sum": "∑",
    "langle": "⟨",
    "rangle": "⟩",
    "Longrightarrow": "⟹",
    "{": "{",
    "}": "}",
    "infty": "∞",
    "to": "→",
    "|": "‖",
}
LETTERS = {"varphi": "φ", "tau": "τ", "rho": "ρ", "pi": "π", "eta": "η", "alpha": "α", "beta": "β", "lambda": "λ"}
SPACES = {",": 0.17, ";": 0.28, " ": 0.3, "quad": 1, "qquad": 2, "!": 0}
ACCENTS = {"tilde": "~", "bar": "¯", "dot": "˙", "hat": "^"}
TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|\d+(?:\.\d+)?|\s+|.", re.S)


class Formula:
    def __init__(self, text):
        self.text, self.tokens, self.at = text, TOKEN.findall(text), 0

    def mathml(self, display):
        inner = self.row(None)
        return f'<math display="{"block" if display else "inline"}">{inner}</math>'

    def next(self, with_spaces=False):
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            if with_spaces or not token.isspace():
                return token
        return None

    def peek(self):
        at = self.at
        token = self.next()
        self.at = at
        return token

    def row(self, end):
        """Up to the token `end`; exponents and indices belong to what stands before them."""
        parts = []
        while (token := self.peek()) is not None and token != end:
            if token in "_^":
                scripts = {}
                base = parts.pop() if parts else "<mrow></mrow>"
                while self.peek() in ("_", "^"):
                    sign = self.next()
                    scripts[sign] = self.argument()
                tag = {"_": "msub", "^": "msup", "^_": "msubsup"}[
                    "".join(sorted(scripts, reverse=True)) if len(scripts) == 1 else "^_"
                ]
                parts.append(f"<{tag}>{base}" + "".join(scripts[sign] for sign in "_^" if sign in scripts) + f"</{tag}>")
            else:
                parts.append(self.argument())
        self.next()
        return f"<mrow>{''.join(parts)}</mrow>"

    def argument(self):
        token = self.next()
        if token == "{":
            return self.row("}")
        if token is None:
            raise SystemExit(f"formulas: '{self.text}' ends too early")
        if token.startswith("\\"):
            return self.command(token[1:])
        if token[0].isdigit():
            # \tfrac34: one digit each
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{token}</mi>"
        stretchy = ' stretchy="false"' if token in "()[]|" else ""
        return f'<mo{stretchy}>{html.escape(token.replace("-", "−"))}</mo>'

    def digit(self):
        """An argument of a fraction, a root: one digit, a letter or a group."""
        if (token := self.peek()) and token[0].isdigit() and len(token) > 1:
            self.next()
            self.tokens[self.at - 1 : self.at] = list(token)
            self.at -= 1
        return self.argument()

    def command(self, name):
        if name in SYMBOLS:
            return f'<mo stretchy="false">{SYMBOLS[name]}</mo>'
        if name in LETTERS:
            return f"<mi>{LETTERS[name]}</mi>"
        if name in SPACES:
            return f'<mspace width="{SPACES[name]}em"></mspace>'
        if name in ACCENTS:
            return f'<mover accent="true">{self.argument()}<mo>{ACCENTS[name]}</mo></mover>'
        if name in ("frac", "tfrac"):
            top, bottom = self.digit(), self.digit()
            return f"<mfrac>{top}{bottom}</mfrac>"
        if name == "sqrt":
            return f"<msqrt>{self.digit()}</msqrt>"
        if name in ("text", "mathrm", "mathsf", "operatorname"):
            words = []
            while (token := self.next(with_spaces=True)).isspace():
                pass
            if token != "{":
                words.append(token)
            else:
                while (token := self.next(with_spaces=True)) != "}":
                    words.append(token)
            text = html.escape(re.sub(r"\s", "\N{NO-BREAK SPACE}", "".join(words)))
            return f"<mtext>{text}</mtext>" if name == "text" else f'<mi mathvariant="normal">{text}</mi>'
        raise SystemExit(f"formulas: doc/site/formulas.py does not know \\{name} of '{self.text}'")


def with_formulas(text, render):
    """render(text) for Markdown whose formulas, $...$ and $$...$$, come out as MathML."""
    kept = []

    def keep(match):
        kept.append(Formula((match[1] or match[2]).strip()).mathml(match[1] is not None))
        return f"KEPTFORMULA{len(kept) - 1}END"

    body = render(re.sub(r"\$\$(.*?)\$\$|\$([^$\n]+)\$", keep, text, flags=re.S))
    return re.sub(r"KEPTFORMULA(\d+)END", lambda match: kept[int(match[1])], body)
