# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the generator has to know of an architecture."""

import re
from dataclasses import dataclass
from functools import cached_property

# The oldest PTX version that knows a target (PTX ISA, "Release Notes").
OLDEST_PTX = {
    "75": (6, 3), "80": (7, 0), "86": (7, 1), "87": (7, 4), "88": (9, 0), "89": (7, 8), "90": (7, 8),
    "100": (8, 6), "101": (8, 6), "103": (8, 8), "107": (9, 4), "110": (9, 0), "120": (8, 7), "121": (8, 8),
}

# Clusters, elect and transaction barriers with all their forms are in PTX 8.0.
COMMON_PTX = (8, 0)

# A later architecture that runs an earlier one's cubins: the same major number, or family.
SUCCESSORS = {
    "sm_80": ("sm_86", "sm_87", "sm_89"), "sm_86": ("sm_89",), "sm_100": ("sm_103",), "sm_120": ("sm_121",),
    "sm_100f": ("sm_103", "sm_103f"), "sm_120f": ("sm_121", "sm_121f"),
}


@dataclass(frozen=True)
class Architecture:
    """A target, for example sm_90a: number 90, suffix "a"."""

    name: str

    def __post_init__(self):
        if not re.fullmatch(r"sm_\d+[af]?", self.name):
            raise ValueError(f"{self.name} is no architecture")

    @cached_property
    def number(self) -> int:
        return int(re.sub(r"\D", "", self.name))

    @property
    def suffix(self) -> str:
        return self.name[len(f"sm_{self.number}"):]

    @property
    def ptx_version(self) -> tuple[int, int]:
        oldest = OLDEST_PTX.get(str(self.number), (9, 0))
        if self.suffix == "f":
            oldest = max(oldest, (8, 8))
        return max(oldest, COMMON_PTX)

    @property
    def has_clusters(self) -> bool:
        return self.number >= 90

    @property
    def has_mercury(self) -> bool:
        """Do objects have a Mercury view, which the link finalizes?"""
        return self.number >= 100

    @property
    def has_tensor_memory(self) -> bool:
        """Is tcgen05 there? Only with a suffix."""
        return self.number in (100, 103, 110) and self.suffix != ""

    @property
    def predecessors(self) -> list[str]:
        """Architectures whose cubins run on this one."""
        return [old for old, new in SUCCESSORS.items() if self.name in new]
