"""Changes an input while a link reads.

usage: rewrite.py once LINKER INPUT OTHER LAST OUTPUT   writes OTHER over INPUT when it was read
       rewrite.py cut LINKER INPUT LAST OUTPUT          cuts it to nothing
       rewrite.py loop LINKER A B LAST COUNT            writes A and B in turns, all the time

LAST is a further input, which comes from a pipe: the link waits for it. Prints
what became of the link and of the output that was there before.
"""
import os
import subprocess
import sys
import threading
import time

mode, linker, *paths = sys.argv[1:]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, contents, mode="r+b"):
    with open(path, mode) as file:
        file.write(contents)
        file.truncate()


def link(inputs, output):
    return [linker, "-arch=sm_90", *inputs, "-o", output]


def uses(process, path):
    folder = f"/proc/{process.pid}/fd"
    try:
        return any(os.path.realpath(f"{folder}/{fd}") == path for fd in os.listdir(folder))
    except OSError:
        return False


def once(change, source, last, output):
    """Runs a link in the midst of which `change` is called with its input."""
    path, pipe = os.path.realpath("changing.cubin"), os.path.realpath("pipe.cubin")
    write(path, read(source), "wb")
    time.sleep(0.05)  # So that its times show any change.
    os.mkfifo(pipe)
    process = subprocess.Popen(link([path, pipe], output), text=True, stderr=subprocess.PIPE)
    with open(pipe, "wb") as file:
        # A large one is mapped, and stays open or not.
        mapped = read(f"/proc/{process.pid}/maps")
        for _ in range(400):
            mapped = read(f"/proc/{process.pid}/maps")
            if not uses(process, path) or path.encode() in mapped:
                break
            time.sleep(0.01)
        change(path)
        file.write(read(last))
    error = process.communicate()[1]
    os.unlink(pipe)
    print(error.replace(os.getcwd() + "/", ""), end="")
    print("exit status", process.returncode, flush=True)


if mode == "once":
    source, other, last, output = paths
    subprocess.run(link([source, last], "expected"), check=True)
    once(lambda path: write(path, read(other)), source, last, output)
    print("output is", "as expected" if read(output) == read("expected") else
          "as before" if read(output) == b"before" else "something else")
elif mode == "cut":
    source, last, output = paths
    once(lambda path: os.truncate(path, 0), source, last, output)
    print("output is", "as before" if read(output) == b"before" else "something else")
else:
    a, b, last, count = paths
    expected = []
    for source in a, b:
        subprocess.run(link([source, last], "expected"), check=True)
        expected.append(read("expected"))
    contents, stop, wrong, passed = [read(a), read(b)], threading.Event(), 0, 0
    write("changing.cubin", contents[0], "wb")

    def rewrite():
        while not stop.is_set():
            for text in contents:
                write("changing.cubin", text)
            # Now and then it is complete for a while.
            time.sleep(0.008)

    thread = threading.Thread(target=rewrite)
    thread.start()
    try:
        for _ in range(int(count)):
            write("out", b"before", "wb")
            done = subprocess.run(link(["changing.cubin", last], "out"), capture_output=True, text=True)
            good = ([b"before"] if done.returncode else expected)
            if done.returncode not in (0, 1, 255) or read("out") not in good:
                print("exit status", done.returncode, done.stderr)
                wrong += 1
            passed += done.returncode == 0
    finally:
        stop.set()
        thread.join()
    print("wrong:", wrong, flush=True)
    print("passed:", passed, file=sys.stderr)
