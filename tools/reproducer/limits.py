# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--memory-limit and --time-limit, as the other programs have them."""
import argparse
import resource
import signal

OWN_MEMORY = 64 << 20
MAX = 1 << 31
DATA_FIELD = 5  # of /proc/self/statm, in pages
given = argparse.Namespace(memory=None)


class OutOfTime(BaseException):
    """Not an Exception: nobody on the way goes on after it."""


def number(text):
    if not text.isascii() or not text.isdigit() or int(text) >= MAX:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number")
    return int(text)


def add_options(parser):
    parser.add_argument("--memory-limit", type=number, default=0, metavar="MIB",
                        help="memory for what the file holds, besides 64 MiB")
    parser.add_argument("--time-limit", type=number, default=0, metavar="SECONDS",
                        help="how long all of it may take")


def no_memory():
    return "out of memory" + (f": --memory-limit={given.memory} (MiB) allows no more"
                              if given.memory else "")


def apply(args):
    """The programs that are started have the same limit of memory, and end with this one."""
    if args.memory_limit:
        given.memory = args.memory_limit
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[DATA_FIELD]) * resource.getpagesize()
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        size = used + (args.memory_limit << 20) + OWN_MEMORY
        others = [size] + [n for n in (soft, hard) if n != resource.RLIM_INFINITY]
        resource.setrlimit(resource.RLIMIT_DATA, (min(others), hard))
    if args.time_limit:
        def end(*_):
            raise OutOfTime(f"out of time: --time-limit={args.time_limit} (seconds) allows no more")

        signal.signal(signal.SIGALRM, end)
        signal.alarm(args.time_limit)
