# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds a program whose device code is linked by one linker, and runs it against the stand-in for the CUDA runtime.

    build.py LINKER SHAPE WORK [--arch=NAME]... [--host=TRIPLE] [--symbolic]

LINKER: the nvcc or the ld.cuda that makes the host object of each device link.
What the program registers, in order, goes to WORK/log. SHAPE:

    executable   two files and one device link
    shared       the same as a shared library, and a program without device code
    dlopen       the library is opened, closed and opened again
    two-links    one program with two device links of two files each
    layers       a shared library with a device link, used by a program with one
    shared-twice two shared libraries that contain the same static library
    at-once      one program with one device link of four files
    layered      the same; two of them are in an archive, with a layer made of
                 them by ld.cuda -r, which LINKER's device link takes
    hidden       the same, but the objects in the archive hide their device code
                 from device links

--symbolic: shared libraries call their own functions first.
Files come from Inputs/device.cu, compiled by nvcc, or with --host from
Inputs/host.c and device code that is recorded, compiled by that target's gcc.
"""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

INPUTS = Path(__file__).resolve().parent / "Inputs"
LD = os.environ.get("LD_CUDA", "ld.cuda")
CORPUS = INPUTS.parent.parent / "corpus" / "Inputs"
MAIN = """#include <stdio.h>
#include <stdlib.h>
#ifdef _WIN32
#include <windows.h>
#define RTLD_NOW 0
static void *dlopen(const char *name, int mode) { return LoadLibraryA(name); }
static int dlclose(void *library) { return !FreeLibrary(library); }
static const char *dlerror(void) { return "not opened"; }
#else
#include <dlfcn.h>
#endif
int main(int argc, char **argv) {
  FILE *log = fopen(getenv("REGISTRATIONS"), "ab");
  for (int i = 1; i < argc; ++i) {
    void *library = dlopen(argv[i], RTLD_NOW);
    fprintf(log, library ? "opened\\n" : "%s\\n", dlerror());
    fflush(log);
    if (library && i + 1 < argc) {
      dlclose(library);
      fprintf(log, "closed\\n");
      fflush(log);
    }
  }
  fprintf(log, "end of main\\n");
  return fclose(log);
}
"""


def find_wine():
    """Debian's package for 64-bit programs has nothing on PATH."""
    return shutil.which("wine64") or shutil.which("wine64", path="/usr/lib/wine")


class Builder:
    def __init__(self, linker, work, arches, host, symbolic):
        self.linker, self.work, self.host = linker, work, host
        self.arches, self.symbolic = arches, symbolic
        self.gcc = f"{host}-gcc" if host else "gcc"
        self.windows = bool(host) and "mingw" in host
        self.libraries = {}
        self.position_independent = [] if self.windows else ["-fPIC"]
        self.ours = os.path.basename(linker) != "nvcc"

    def run(self, *command, **more):
        words = [str(word) for word in command]
        done = subprocess.run(words, cwd=self.work, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
        if done.returncode:
            sys.exit(f"$ {' '.join(words)}\n{done.stdout}status {done.returncode}")
        return done

    def object(self, name, calls=""):
        """A host object with device code: a kernel NAME_kernel, a variable and
        a function NAME, which calls the function CALLS."""
        output = self.work / f"{name}.o"
        if self.host:
            # The recorded modules are a kernel and the function that it calls.
            which = "function" if calls == "" else "kernel"
            fatbin = self.work / f"{which}.fatbin"
            self.run("llvm-objcopy", f"--dump-section=__nv_relfatbin={fatbin}",
                     CORPUS / f"calls/calls-{which}.sm_75+sm_80+sm_90.o", os.devnull)
            self.run(self.gcc, *self.position_independent, "-O1", "-c", f"-DID=_0123abcd_4_{name}_cu_{name}", f"-DFATBIN={fatbin}",
                     f"-DKERNEL={name}_kernel", INPUTS / "host.c", "-o", output)
            return output
        # A name without a path: the module id and the line table hold it.
        source = self.work / f"{name}.cu"
        shutil.copy(INPUTS / "device.cu", source)
        self.run("nvcc", "-dc", *self.arch_options(), "-Xcompiler", "-fPIC", f"-DNAME={name}",
                 *([f"-DCALLS={calls}"] if calls else []), source.name, "-o", output)
        return output

    def arch_options(self):
        return [f"-gencode=arch=compute_{arch},code=sm_{arch}" for arch in self.arches]

    def device_link(self, name, *inputs):
        output = self.work / f"{name}.dlink.o"
        if self.ours:
            # Otherwise constants that the host doesn't name keep their place, which nvlink forgets.
            self.run(self.linker, "--nvlink-compat", *(f"-arch=sm_{arch}" for arch in self.arches), *inputs,
                     *([f"--host-target={self.host}"] if self.host else []), f"--host-object={output}")
        else:
            self.run(self.linker, "-dlink", *self.arch_options(), "-Xcompiler", "-fPIC", *inputs, "-o", output)
        return output

    def archive(self, name, inputs, hidden):
        """The objects and their layer."""
        layer, output = self.work / f"{name}.layer.o", self.work / f"lib{name}.a"
        self.run(LD, "-r", *(f"-arch=sm_{arch}" for arch in self.arches), *inputs,
                 f"--host-object={layer}")
        if hidden:
            for file in inputs:
                self.run("llvm-objcopy", "--rename-section=__nv_relfatbin=.nv_fatbin",
                         "--rename-section=__nv_module_id=.rodata.nv_module_id", file)
        output.unlink(missing_ok=True)
        self.run("ar", "qc", output, *inputs, layer)
        return output

    def library(self, name, *inputs):
        output = self.work / (f"{name}.dll" if self.windows else f"lib{name}.so")
        self.libraries[output] = inputs[0].stem
        self.run(self.gcc, "-shared", *inputs, "-o", output, "-L.", "-lruntime", *self.search_here(),
                 *(["-Wl,-Bsymbolic"] if self.symbolic else []))
        return output

    def program(self, *inputs):
        (self.work / "main.c").write_text(MAIN)
        # A DLL is loaded for a symbol only: of each library, a kernel of its first file.
        needed = ["__cudaRegisterFatBinary",
                  *(f"stub_of{name}_kernel" for library, name in self.libraries.items() if library in inputs)]
        kind = ([f"-Wl,-u,{symbol}" for symbol in needed] if self.windows else
                ["-fPIE", "-pie", "-Wl,--no-as-needed"])
        libraries = ["-lruntime", *([] if self.windows else ["-ldl" if self.host else "-lstdc++"])]
        self.run(self.gcc, "main.c", *kind, *inputs, "-o", self.executable(), "-L.", *libraries, *self.search_here())

    def executable(self):
        return "program.exe" if self.windows else "program"

    def search_here(self):
        """Windows looks beside the program anyway."""
        return [] if self.windows else ["-Wl,-rpath,$ORIGIN", "-Wl,-z,text"]

    def execute_windows(self, arguments):
        """In a folder without what wine otherwise installs into one, of which programs like ours need nothing."""
        prefix = self.work / "wine"
        (prefix / "drive_c/windows/system32").mkdir(parents=True, exist_ok=True)
        (prefix / "dosdevices").mkdir(exist_ok=True)
        for drive, folder in (("c:", "../drive_c"), ("z:", "/")):
            (prefix / "dosdevices" / drive).unlink(missing_ok=True)
            (prefix / "dosdevices" / drive).symlink_to(folder)
        (prefix / ".update-timestamp").write_text("disable\n")
        wine = find_wine()
        environment = {**os.environ, "WINEPREFIX": str(prefix), "WINEBOOTSTRAPMODE": "1", "WINEDEBUG": "-all",
                       "REGISTRATIONS": "log"}
        try:
            self.run(wine, self.executable(), *(Path(a).name for a in arguments), env=environment, timeout=60)
        finally:
            server = os.path.join(os.path.dirname(wine), "wineserver")
            subprocess.run([server if os.path.exists(server) else "wineserver", "-k"], env=environment, check=False)

    def execute(self, *arguments):
        log = self.work / "log"
        log.unlink(missing_ok=True)
        if self.windows:
            self.execute_windows(arguments)
            return
        before = []
        if self.host:
            machine = self.host.split("-")[0]
            if machine != platform.machine():
                before = [f"qemu-{machine}", "-L", f"/usr/{self.host}"]
        self.run(*before, self.work / self.executable(), *arguments, env={**os.environ, "REGISTRATIONS": str(log)}, timeout=60)

    def build(self, shape):
        self.run(self.gcc, "-shared", *self.position_independent, INPUTS / "runtime.c", "-o",
                 "runtime.dll" if self.windows else "libruntime.so")
        one = [self.object("a", "b"), self.object("b")]
        if shape == "executable":
            self.program(*one, self.device_link("one", *one))
            self.execute()
        elif shape in ("shared", "dlopen"):
            library = self.library("one", *one, self.device_link("one", *one))
            self.program(*([library] if shape == "shared" else []))
            self.execute(*([library, library] if shape == "dlopen" else []))
        elif shape in ("two-links", "layers"):
            two = [self.object("c", "d"), self.object("d")]
            first = [*one, self.device_link("one", *one)]
            if shape == "layers":
                first = [self.library("one", *first)]
            self.program(*two, self.device_link("two", *two), *first)
            self.execute()
        elif shape in ("at-once", "layered", "hidden"):
            two = [self.object("c", "d"), self.object("d")]
            last = one if shape == "at-once" else [self.archive("one", one, shape == "hidden")]
            self.program(*two, self.device_link("two", *two, *last), *last)
            self.execute()
        elif shape == "shared-twice":
            libraries = []
            for name, inputs in (("one", one), ("two", [self.object("c", "b"), one[1]])):
                libraries.append(self.library(name, *inputs, self.device_link(name, *inputs)))
            self.program(*libraries)
            self.execute()
        else:
            sys.exit(f"unknown shape {shape}")


def main():
    linker, shape, work = sys.argv[1], sys.argv[2], Path(sys.argv[3]).resolve()
    arches, host, symbolic = [], None, False
    for word in sys.argv[4:]:
        option, _, value = word.partition("=")
        if option == "--arch":
            arches.append(value)
        elif option == "--host":
            host = value
        elif option == "--symbolic":
            symbolic = True
    work.mkdir(parents=True, exist_ok=True)
    Builder(linker, work, arches or ["90"], host, symbolic).build(shape)


if __name__ == "__main__":
    main()
