# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The list of features. A feature is a function with @feature(...) that adds to a Draft."""

from dataclasses import dataclass
from typing import Callable

from ..architectures import Architecture
from ..draft import Draft

FEATURES: dict[str, "Feature"] = {}


@dataclass
class Feature:
    name: str
    topic: str
    apply: Callable[[Draft], None]
    # Can it be there on an architecture?
    available: Callable[[Architecture], bool] = lambda arch: True
    # Programs and libraries that it needs, for example "nvcc" (toolkits.Toolkit.has).
    needs: tuple[str, ...] = ()
    # Features that don't go with it.
    excludes: tuple[str, ...] = ()
    # May `random` and `all` take it?
    mixes: bool = True
    # Do its commands take seconds?
    is_slow: bool = False

    @property
    def summary(self) -> str:
        return (self.apply.__doc__ or "").strip().split("\n")[0].rstrip(".")


def feature(topic: str, **words) -> Callable:
    """Registers a function under its name."""
    def register(function: Callable[[Draft], None]) -> Callable[[Draft], None]:
        name = function.__name__.rstrip("_")  # globals_
        FEATURES[name] = Feature(name, topic, function, **words)
        return function
    return register


def content_features() -> list[str]:
    """Features that say what is in a program, not how it is linked."""
    return [f.name for f in FEATURES.values() if f.topic in ("functions", "variables", "memory", "synchronisation", "kernels",
                                                           "library") and f.mixes]
