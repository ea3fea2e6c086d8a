# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws wall time over size of input, both logarithmic, a panel a family."""

import math
from html import escape

WIDTH, HEIGHT, COLUMNS = 250, 190, 4
LEFT, RIGHT, TOP, BOTTOM = 46, 10, 26, 30
OURS, THEIRS = "#1f77b4", "#d62728"


def decades(low, high):
    return range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)


class Panel:
    def __init__(self, family, points):
        self.family, self.points = family, points
        xs = [x for series in points.values() for x, _ in series]
        ys = [y for series in points.values() for _, y in series]
        self.x0, self.x1 = math.log10(min(xs)) - 0.05, math.log10(max(xs)) + 0.05
        self.ticks = decades(min(ys), max(ys))
        self.y0, self.y1 = self.ticks[0], max(self.ticks[-1], self.ticks[0] + 1)

    def x(self, value):
        share = (math.log10(value) - self.x0) / (self.x1 - self.x0)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, value):
        share = (math.log10(value) - self.y0) / (self.y1 - self.y0)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def draw(self):
        yield f'<text x="{LEFT}" y="16" class="title">{escape(self.family)}</text>'
        yield (f'<rect x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" '
               f'height="{HEIGHT - TOP - BOTTOM}" class="frame"/>')
        for tick in range(self.y0, self.y1 + 1):
            at = self.y(10.0 ** tick)
            label = f"{10 ** tick} ms" if 0 <= tick < 3 else (
                f"{10 ** (tick - 3)} s" if tick >= 3 else f"{10.0 ** tick:g} ms")
            yield f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" class="grid"/>'
            yield f'<text x="{LEFT - 4}" y="{at + 3:.1f}" text-anchor="end">{label}</text>'
        for value in sorted({x for series in self.points.values() for x, _ in series}):
            yield (f'<text x="{self.x(value):.1f}" y="{HEIGHT - BOTTOM + 13}" '
                   f'text-anchor="middle">{value:.3g}</text>')
        for colour, series in self.points.items():
            places = [(self.x(x), self.y(y)) for x, y in series]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            yield f'<polyline points="{path}" stroke="{colour}" class="line"/>'
            for x, y in places:
                yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>'


def plot(rows, description):
    panels = []
    for family in dict.fromkeys(row.family for row in rows):
        mine = [row for row in rows if row.family == family and row.mode == "new"]
        points = {OURS: [(row.megabytes, row.ours.wall) for row in mine],
                  THEIRS: [(row.megabytes, row.theirs.wall) for row in mine if row.theirs]}
        panels.append(Panel(family, points))
    lines = -(-len(panels) // COLUMNS)
    width, height = COLUMNS * WIDTH + 20, lines * HEIGHT + 50
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="9">',
           '<style>.title{font-size:12px;font-weight:bold}.frame{fill:none;stroke:#999}'
           '.grid{stroke:#ddd}.line{fill:none;stroke-width:1.5}</style>',
           f'<rect width="{width}" height="{height}" fill="white"/>',
           '<text x="16" y="18" font-size="12">wall time over size of the input in MB: '
           f'<tspan fill="{OURS}">lld-cuda</tspan>, <tspan fill="{THEIRS}">nvlink</tspan></text>',
           f'<text x="16" y="34">{escape(description)}</text>']
    for i, panel in enumerate(panels):
        x, y = i % COLUMNS * WIDTH + 10, i // COLUMNS * HEIGHT + 44
        out += [f'<g transform="translate({x},{y})">', *panel.draw(), "</g>"]
    return "\n".join(out + ["</svg>", ""])
