# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line."""

import argparse
import os
import shutil
import sys
from pathlib import Path

from programs.features import FEATURES, content_features
from programs.generate import MIXES, expand, make_case

from .cache import default_folder
from .campaign import Campaign, make_runner
from .kept import Kept, keep, verdict_text
from .runner import Runner, SECONDS, Setting
from .shrink import Shrinker
from .toolkits import Toolkit, find_default

ROOT = Path(__file__).resolve().parents[3]

# Those of 13.0 whose rules differ.
ARCHITECTURES = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_103", "sm_110", "sm_120", "sm_121"]

# Of --mode steps, beside content.
STEPS_FEATURES = ("lineinfo", "optimization_levels", "names", "empty", "host_objects", "fatbins", "order")

# Exit status if NVIDIA's tools or ours are missing.
UNAVAILABLE = 2


def seeds(text: str) -> range:
    first, _, last = text.partition("..")
    return range(int(first), int(last or first) + 1)


def words(text: str) -> list[str]:
    return [word for word in text.replace(",", " ").split() if word]


def build_file(name: str) -> str:
    """A program of the project's build."""
    folder = Path(os.environ.get("BUILD_DIR", "build"))
    path = (folder if folder.is_absolute() else ROOT / folder) / "bin" / name
    return str(path) if path.exists() else shutil.which(name) or str(path)


def add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--toolkit", metavar="ROOT", nargs="+", action="extend", default=[],
                        help="toolkits whose nvlink is the reference (that of PATH); each links all cases")
    parser.add_argument("--compiler-toolkit", metavar="ROOT", nargs="+", action="extend", default=[],
                        help="toolkits that compile, instead of the reference's; several: feature mixed_releases")
    parser.add_argument("--library-toolkit", metavar="ROOT", nargs="+", action="extend", default=[],
                        help="toolkits whose libcudadevrt is linked, instead of the reference's; each in all cases")
    parser.add_argument("--linker", help="the linker under test (build/bin/nvlink)")
    parser.add_argument("--linker-args", metavar="ARGS", type=str.split, default=None, help="more options for it, in one word; @release@ is the reference's, for example 13.0.88")
    parser.add_argument("--mode", choices=["compat", "default", "steps"], default=None,
                        help="compat (the default): with --nvlink-compat, outputs must be identical; default: without, judged by "
                        "meaning; steps: -r and then the rest gives the image of one link")
    parser.add_argument("--chained", action="store_true", default=None, help="outputs of -r that are linked again are the tested linker's")
    parser.add_argument("--cache", type=Path, default=default_folder(), help="where results of NVIDIA's tools are kept (%(default)s)")
    parser.add_argument("--cubin-diff", metavar="FILE", help="(build/bin/cubin-diff)")
    parser.add_argument("--timeout", type=int, default=SECONDS, help="seconds for one command (%(default)s)")
    parser.add_argument("--shrink-seconds", type=int, default=180, help="for one case (%(default)s)")


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="linktest", description=sys.modules["__main__"].__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="make and judge cases")
    run.add_argument("--seed", type=seeds, default=range(20), metavar="A..B")
    run.add_argument("--arch", type=words, action="extend", default=[], metavar="sm_NN,...", help=", ".join(ARCHITECTURES))
    run.add_argument("--features", type=words, action="extend", default=[], metavar="NAME,...", help="features or topics; see `list`")
    run.add_argument("--mix", choices=MIXES, default="auto",
                     help="features of a case: one after the other, some, all; auto (the default): a bit of everything")
    run.add_argument("--jobs", type=int, default=os.cpu_count())
    run.add_argument("--keep", type=Path, metavar="DIR", help="keep cases that fail here")
    run.add_argument("--shrink", action="store_true", help="and make them small")
    run.add_argument("--list-cases", action="store_true", help="a line a case with its verdicts")
    add_common(run)
    commands.add_parser("list", help="features")
    make = commands.add_parser("make", help="write a case's sources and commands; needs no toolkit")
    make.add_argument("folder", type=Path, metavar="DIR")
    make.add_argument("--arch", default="sm_90")
    make.add_argument("--seed", type=int, default=0)
    make.add_argument("--features", type=words, required=True, metavar="NAME,...")
    for name in ("shrink", "reproduce"):
        one = commands.add_parser(name)
        one.add_argument("case", type=Path, metavar="CASE", help="a folder that --keep left")
        add_common(one)
    return parser


def make_setting(options: argparse.Namespace, toolkit: Toolkit | None, library: Toolkit | None = None) -> Setting:
    compilers = [Toolkit(Path(root)) for root in options.compiler_toolkit] or ([toolkit] if toolkit else [])
    return Setting(toolkit, compilers, str(Path(options.linker or build_file("nvlink")).absolute()),
                   str(Path(options.cubin_diff or build_file("cubin-diff")).absolute()),
                   mode=options.mode or "compat", linker_args=options.linker_args or [], chained=bool(options.chained),
                   cache=options.cache.absolute(), seconds=options.timeout, library=library)


def missing(setting: Setting) -> str:
    """What there is not."""
    toolkit = setting.toolkit
    if toolkit is None:
        return "there is no CUDA toolkit (CUDA_HOME, CUDA_PATH, PATH, --toolkit)"
    for name in ("nvlink",):
        if not toolkit.tool(name):
            return f"{toolkit.root} has no {name}"
    if setting.library and not setting.library.libraries:
        return f"{setting.library.root} has no libcudadevrt.a"
    for compiler in setting.compilers:
        if not compiler.tool("ptxas"):
            return f"{compiler.root} has no ptxas"
    for path in (setting.linker, setting.cubin_diff):
        if not os.access(path, os.X_OK):
            return f"{path} is missing"
    return ""


def list_features() -> int:
    topic = ""
    for feature in FEATURES.values():
        if feature.topic != topic:
            topic = feature.topic
            print(f"{topic}:")
        needs = f" (needs {', '.join(feature.needs)})" if feature.needs else ""
        print(f"  {feature.name:22} {feature.summary}{needs}")
    return 0


def make(options: argparse.Namespace) -> int:
    features = [name for name in FEATURES if name in expand(options.features)]
    case = make_case(options.arch, options.seed, features)
    case.write(options.folder)
    print(case.script({}), end="")
    return 0


def run_cases(options: argparse.Namespace) -> int:
    roots = [Toolkit(Path(root)) for root in options.toolkit] or [find_default()]
    libraries = [Toolkit(Path(root)) for root in options.library_toolkit] or [None]
    settings = [make_setting(options, toolkit, library) for toolkit in roots for library in libraries]
    for setting in settings:
        if reason := missing(setting):
            print(f"linktest: skipped: {reason}")
            return UNAVAILABLE
    features, mix = expand(options.features), options.mix
    if settings[0].mode == "steps":
        # What says how to link would be two things at once.
        features = [name for name in features or list(FEATURES) if name in content_features() or name in STEPS_FEATURES]
        mix = "random" if mix == "auto" else mix
    campaign = Campaign(settings, options.arch or ARCHITECTURES, options.seed, features, mix)
    campaign.keep, campaign.shrink_seconds = options.keep, options.shrink_seconds if options.shrink else 0
    campaign.lists_cases = options.list_cases
    return campaign.run(options.jobs)


def overridden(options: argparse.Namespace) -> set[str]:
    """Fields of Setting that the command line gives."""
    given = {"toolkit": options.toolkit, "compilers": options.compiler_toolkit, "linker": options.linker, "mode": options.mode,
             "linker_args": options.linker_args, "chained": options.chained, "library": options.library_toolkit}
    return {name for name, value in given.items() if value}


def open_case(options: argparse.Namespace) -> tuple[Kept, Runner | None]:
    kept = Kept.read(options.case)
    toolkit = Toolkit(Path(options.toolkit[0])) if options.toolkit else None
    library = Toolkit(Path(options.library_toolkit[0])) if options.library_toolkit else None
    setting = kept.setting(make_setting(options, toolkit, library), overridden(options))
    if reason := missing(setting):
        print(f"linktest: {reason}")
        return kept, None
    return kept, make_runner(setting)


def reproduce(options: argparse.Namespace) -> int:
    kept, runner = open_case(options)
    if runner is None:
        print(kept.case.script({}))
        return UNAVAILABLE
    print(kept.case.script(runner.tools()))
    print(f"# NVLINK={runner.setting.linker} {' '.join(runner.setting.mode_args + runner.setting.linker_args)}")
    result = runner.run(kept.case)
    print(verdict_text(result), end="")
    return 1 if result.failures else 0


def shrink(options: argparse.Namespace) -> int:
    kept, runner = open_case(options)
    if runner is None:
        return UNAVAILABLE
    shrinker = Shrinker(runner, options.shrink_seconds)
    small = shrinker.shrink(kept.case)
    if small is None:
        print("linktest: the case doesn't fail")
        return 1
    small.case.name = f"{kept.case.name}-small"
    place = keep(small, runner, options.case.parent)
    print(f"{place}: {shrinker.summary}")
    print(verdict_text(small), end="")
    return 0


def main() -> int:
    options = make_parser().parse_args()
    if options.command == "list":
        return list_features()
    try:
        return {"run": run_cases, "make": make, "reproduce": reproduce, "shrink": shrink}[options.command](options)
    except ValueError as error:
        print(f"linktest: {error}", file=sys.stderr)
        return UNAVAILABLE
