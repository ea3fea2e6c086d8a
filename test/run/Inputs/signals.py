# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""signals.py LLD-CUDA: sends signals to lld-cuda --run and says what became of the command."""

import os
import signal
import subprocess
import sys
import time

COMMAND = """
import os, signal, sys, time
def handle(number, frame):
    # Not print(): the signal may come while the print() below is on its way.
    os.write(1, b"handled\\n")
    os._exit(5)
for name in sys.argv[1:]:
    signal.signal(getattr(signal, name), handle)
print(os.getpid(), flush=True)
time.sleep(30)
"""


def default_signals():
    """A background job of a shell starts with SIGINT ignored."""
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)


def begin(*names):
    run = subprocess.Popen([sys.argv[1], "--run", sys.executable, "-c", COMMAND, *names], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True, start_new_session=True, preexec_fn=default_signals)
    return run, int(run.stdout.readline())


def state(pid):
    """The letter of a process: T for stopped, S for sleeping, None if it is gone."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return None


def wait_for(condition):
    for _ in range(500):
        if condition():
            return True
        time.sleep(0.01)
    return False


for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1"):
    run, command = begin(name)
    run.send_signal(getattr(signal, name))
    text = run.stdout.read().strip()
    print(f"{name}: {text}, status {run.wait()}")

run, command = begin("SIGTERM")
os.kill(command, signal.SIGSTOP)
stopped = wait_for(lambda: state(run.pid) == "T")
run.send_signal(signal.SIGCONT)
both = stopped and wait_for(lambda: state(command) == "S" and state(run.pid) == "S")
print("stopped together:", "yes" if both else "no")
run.kill()
run.wait()
print("killed:", "the command ended, too" if wait_for(lambda: state(command) in (None, "Z")) else "the command goes on")
