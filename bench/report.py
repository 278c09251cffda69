"""Turns samples into rows: medians, quartiles, ratios of the same round, and a verdict per goal."""

import dataclasses
import statistics


@dataclasses.dataclass
class Spread:
    median: float
    low: float   # first quartile
    high: float  # third quartile

    def __str__(self):
        if self.low == self.high:
            return number(self.median)
        return f"{number(self.median)} ({number(self.low)}–{number(self.high)})"


def number(value):
    if value == int(value) and abs(value) < 1e7:
        return str(int(value))
    digits = 0 if abs(value) >= 1000 else 1 if abs(value) >= 20 else 2 if abs(value) >= 1 else 3
    return f"{value:.{digits}f}"


def spread(values):
    """The spread of some samples; nothing if there are none."""
    values = sorted(values)
    if not values:
        return None
    if len(values) == 1:
        return Spread(values[0], values[0], values[0])
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return Spread(middle, low, high)


def ratios(rounds, above, below, field):
    """field of `above` over field of `below`, for each round that has both."""
    return [r[above][field] / r[below][field] for r in rounds
            if above in r and below in r and r[above][field] > 0 and r[below][field] > 0]


def values(rounds, name, field):
    return [r[name][field] for r in rounds if name in r]


@dataclasses.dataclass
class Goal:
    """`sign` is "<=", ">=" or "=="; `beyond` is the harder figure, if there is one."""
    sign: str
    limit: float
    beyond: float | None = None

    def meets(self, value, limit):
        return {"<=": value <= limit, ">=": value >= limit, "==": value == limit}[self.sign]

    def verdict(self, value):
        if self.beyond is not None and self.meets(value, self.beyond):
            return "beyond"
        return "met" if self.meets(value, self.limit) else "MISSED"

    def __str__(self):
        sign = {"<=": "≤", ">=": "≥", "==": "="}[self.sign]
        beyond = "" if self.beyond is None else f", beyond {sign} {number(self.beyond)}"
        return f"{sign} {number(self.limit)}{beyond}"


@dataclasses.dataclass
class Row:
    """One line of the table. `judged` is what the goal is about; `detail` is what lies behind."""
    measure: int
    what: str
    judged: Spread | None
    goal: Goal | None = None
    detail: str = ""
    failed: bool = False  # some sample had a wrong answer or none: whatever the figures say

    def verdict(self):
        if self.failed:
            return "FAILED"
        if self.judged is None:
            return "not measured"
        return self.goal.verdict(self.judged.median) if self.goal else "–"

    def cells(self):
        return [str(self.measure), self.what, "–" if self.judged is None else str(self.judged),
                str(self.goal) if self.goal else "–", self.verdict(), self.detail]

    def as_json(self):
        return {"measure": self.measure, "what": self.what,
                "judged": dataclasses.asdict(self.judged) if self.judged else None,
                "goal": str(self.goal) if self.goal else None, "verdict": self.verdict(),
                "detail": self.detail}


HEADER = ["#", "measure", "median (quartiles)", "goal", "verdict", "behind it"]


def plain_table(rows):
    lines = [HEADER] + [row.cells() for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADER) - 1)]
    out = []
    for line in lines:
        out.append("  ".join(cell.ljust(width) for cell, width in zip(line, widths))
                   + "  " + line[-1])
    return "\n".join(out)


def markdown_table(rows):
    out = ["| " + " | ".join(HEADER) + " |", "|" + "---|" * len(HEADER)]
    out += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row.cells()) + " |"
            for row in rows]
    return "\n".join(out)


def markdown_page(rows, facts, notes):
    """The whole page: what was run where, the table, what to know about it."""
    out = ["# Benchmark results", "",
           "Written by `bench/run.py`; method and reading: [README](README.md).", ""]
    out += [f"- {name}: {value}" for name, value in facts.items()]
    out += ["", markdown_table(rows), ""]
    if notes:
        out += ["Notes of this run:", ""] + [f"- {note}" for note in notes] + [""]
    return "\n".join(out)
