"""Reads the Prometheus text format."""

import re

_SAMPLE = re.compile(r"^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)(?: -?\d+)?$")
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)",?')
_ESCAPES = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}


class Samples:
    """The samples of one scrape. A line that is no comment and no sample is an error."""

    def __init__(self, text):
        self._samples = []
        for line in text.splitlines():
            if not line or line.startswith("#"):
                continue
            match = _SAMPLE.match(line)
            if not match:
                raise ValueError(f"not a sample: {line!r}")
            labels = {name: re.sub(r"\\.", lambda m: _ESCAPES[m.group()], value)
                      for name, value in _LABEL.findall(match.group(2) or "")}
            self._samples.append((match.group(1), labels, float(match.group(3))))

    def names(self):
        return sorted({name for name, _, _ in self._samples})

    def total(self, name, **labels):
        """The sum of every sample of `name` that carries `labels`; 0 if there is none."""
        return sum(value for sample, have, value in self._samples
                   if sample == name and labels.items() <= have.items())
