# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The lit suite. Substitutions, beyond lit's own:
#
#   %nvlink       lld-cuda under the name nvlink (nvlink's command line)
#   %lld-cuda     lld-cuda under its own name
#   %fatbinary    lld-cuda under that name
#   %ld_cuda      lld-cuda under the name ld.cuda (lld's command line)
#   %ref_nvlink   NVIDIA's nvlink (feature nvlink)
#   %{cuda-toolkit}      the CUDA toolkit of ptxas
#   %{llvm-tools}        the directory of LLVM's tools
#   %{llvm-cmake}        the directory of LLVMConfig.cmake (feature llvm-cmake: there is one)
#   %{clang-nvlink-wrapper}   LLVM's wrapper of nvlink (feature of that name)
#   %python       Python 3
#   %{recorded}   before a command with a CUDA tool: what it makes,
#                 as recorded; no CUDA tool is needed (recorded.py)
#   %{ptxas}      the same for ptxas -arch=sm_90 -c
#   %source_dir, %build_dir   of the project
#
# cubin-dump, cubin-diff, FileCheck, not, split-file, yaml2obj and the other
# LLVM tools are on PATH; so are ptxas, fatbinary and nvcc when found.
#
# Features: reschedule (the linker is built with LLDCUDA_RESCHEDULE=ON), nvlink
# ptxas fatbinary nvcc nvjitlink libdevice (of the CUDA release
# whose output the tests expect), clang, clang-offload-driver, openmp-offload,
# clang-nvlink-wrapper, lto, host-object (ld.cuda can write one), sphinx, jq, zsh, fish, pkg-config, dpkg-deb,
# rustc, abidiff, libllvm (the shared library), static (the programs are), hardening (LLDCUDA_HARDENING=ON), landlock (--sandbox=yes works), gpu, shared-library (liblld-cuda.so is as it is installed; %{compile-capi} compiles a C
# program for it), static-c-library (liblld-cuda.a was built: by GNU ld), python-package (this Python can use it), mypy,
# emulated (the programs are for another processor: emulated.py), namespaces, overlays, quotas, strace (it can make calls fail), root, xattrs, acls,
# capabilities (setcap), asan. A tool is looked for in CUDA_HOME, CUDA_PATH and PATH.
# Of the toolkits in the folder LLDCUDA_TOOLKITS: cuda-13.5.37, and %cuda-13.5.37, its root.

import importlib.util
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import lit.formats
import lit.util

config.name = "lld-cuda"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test", ".ptx", ".yaml", ".cu", ".s"]
config.excludes = ["Inputs", "CMakeLists.txt", "unit"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))

# The release whose bytes the expectations are.
CUDA_RELEASE = "V13.0.88"

bin_dir = os.path.join(config.build_dir, "bin")
if config.emulator:
    sys.dont_write_bytecode = True
    sys.path.append(config.test_source_root)
    import emulated

    bin_dir = emulated.wrap(bin_dir, config.emulator.split(";"), os.path.join(config.test_exec_root, "emulated-bin"))
    config.test_format = emulated.EmulatedTest(execute_external=False)
    config.available_features.add("emulated")
config.bin_dir = bin_dir  # Of the programs, as tests start them.


def own_binary(path):
    """Is this our linker under nvlink's name?"""
    return os.path.basename(os.path.realpath(path)) == "lld-cuda"


def find_cuda_tool(name):
    """Path of a CUDA tool of the expected release, or None."""
    roots = [os.environ.get(variable) for variable in ("CUDA_HOME", "CUDA_PATH")]
    directories = [os.path.join(root, "bin") for root in roots if root]
    directories += os.environ.get("PATH", "").split(os.pathsep)
    for directory in directories:
        path = shutil.which(name, path=directory) if directory else None
        if not path or own_binary(path):
            continue
        version = subprocess.run(
            [path, "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL
        ).stdout
        if CUDA_RELEASE in version:
            return path
        lit_config.note(f"{path} is not of release {CUDA_RELEASE}; not used")
    return None


def have_gpu():
    smi = shutil.which("nvidia-smi")
    return bool(smi) and subprocess.run(
        [smi, "-L"], capture_output=True, stdin=subprocess.DEVNULL
    ).stdout.startswith(b"GPU")


def have_namespaces():
    """Can a test mount a file system of its own?"""
    mount = ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return bool(shutil.which("unshare")) and subprocess.run(
        mount, capture_output=True, stdin=subprocess.DEVNULL
    ).returncode == 0


def have_overlays():
    """Can utils/hostile see what a link writes anywhere?"""
    sys.path.append(os.path.join(config.source_dir, "utils", "hostile"))
    sys.dont_write_bytecode = True
    import sandbox

    return sandbox.is_available()


def have_faults():
    """Can utils/hostile/inject make system calls fail?"""
    sys.path.append(os.path.join(config.source_dir, "utils", "hostile"))
    sys.dont_write_bytecode = True
    import faults

    return faults.is_available()


def have_root():
    """May a test give files to others, and make programs do without that right?"""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        return False
    with tempfile.NamedTemporaryFile() as file:
        try:
            os.chown(file.name, 65534, 65534)
        except OSError:
            return False
    return subprocess.run(["setpriv", "--bounding-set=-chown", "true"], capture_output=True,
                          stdin=subprocess.DEVNULL).returncode == 0


def have_landlock():
    """Can programs confine themselves here, and a test trace them (test/hostile/Inputs/planted.py)?"""
    import ctypes
    import platform

    create_ruleset, ask_version, with_network = 444, 1, 4
    if platform.machine() != "x86_64":
        return False
    version = ctypes.CDLL(None).syscall(create_ruleset, None, ctypes.c_size_t(0), ask_version)
    return version >= with_network


def have_xattrs():
    os.makedirs(config.test_exec_root, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=config.test_exec_root) as file:
        try:
            os.setxattr(file.name, "user.lit", b"1")
        except OSError:
            return False
    return True


def have_acls():
    """Do files have access control lists here?"""
    with tempfile.NamedTemporaryFile(dir=config.test_exec_root) as file:
        entries = [(1, 6, -1), (2, 4, 65534), (4, 4, -1), (0x10, 4, -1), (0x20, 4, -1)]
        data = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
        try:
            os.setxattr(file.name, "system.posix_acl_access", data)
        except OSError:
            return False
    return True


def have_capabilities():
    """May a test give a file capabilities, and make programs do without that right?"""
    if not shutil.which("setcap") or not shutil.which("getcap") or not have_root():
        return False
    with tempfile.NamedTemporaryFile(dir=config.test_exec_root) as file:
        return subprocess.run(["setcap", "cap_net_raw+ep", file.name], capture_output=True,
                              stdin=subprocess.DEVNULL).returncode == 0


def have_quotas():
    """Can a test limit a subvolume of a file system of its own?"""
    tools = all(shutil.which(tool) for tool in ("unshare", "mkfs.btrfs", "btrfs"))
    if not tools or os.geteuid() != 0:
        return False
    with tempfile.TemporaryDirectory() as folder:
        script = ("truncate -s 128M image && mkfs.btrfs --mixed image && mkdir m && "
                  "mount -o loop image m && btrfs quota enable m")
        return subprocess.run(["unshare", "-m", "sh", "-c", script], cwd=folder,
                              capture_output=True, stdin=subprocess.DEVNULL).returncode == 0


path = [bin_dir, config.llvm_tools_dir]
for tool in ("nvlink", "ptxas", "fatbinary", "nvcc"):
    found = find_cuda_tool(tool)
    if not found:
        continue
    config.available_features.add(tool)
    if tool == "nvlink":
        config.substitutions.append(("%ref_nvlink", found))
    if tool == "fatbinary":
        # What tests and compilers call by this name is NVIDIA's.
        config.substitutions.append(("%ref_fatbinary", found))
        first = os.path.join(config.test_exec_root, "nvidia-bin")
        os.makedirs(first, exist_ok=True)
        link = os.path.join(first, tool)
        if not os.path.lexists(link) or os.readlink(link) != found:
            if os.path.lexists(link):
                os.unlink(link)
            os.symlink(found, link)
        path.insert(0, first)
    if os.path.dirname(found) not in path:
        path.append(os.path.dirname(found))

# Toolkits of other releases: FOLDER/RELEASE, or the wheels unpacked in there.
toolkits_dir = os.environ.get("LLDCUDA_TOOLKITS")
for release in sorted(os.listdir(toolkits_dir)) if toolkits_dir else []:
    for root in ("", "nvidia/cu13"):
        root = os.path.join(toolkits_dir, release, root)
        if os.path.exists(os.path.join(root, "bin", "nvlink")):
            config.available_features.add(f"cuda-{release}")
            config.substitutions.append((f"%cuda-{re.escape(release)}", root.rstrip("/")))

# What link-time optimization of NVIDIA's IR needs, in the toolkit of ptxas.
ptxas = find_cuda_tool("ptxas")
toolkit = os.path.dirname(os.path.dirname(os.path.realpath(ptxas))) if ptxas else ""
config.substitutions.append(("%{cuda-toolkit}", toolkit))
if ptxas and os.path.exists(os.path.join(toolkit, "lib", "libnvJitLink.so.13")):
    config.available_features.add("nvjitlink")

if ptxas and os.path.exists(os.path.join(toolkit, "nvvm", "libdevice", "libdevice.10.bc")):
    config.available_features.add("libdevice")
if config.reschedule:
    config.available_features.add("reschedule")
if config.llvm_lto:
    config.available_features.add("lto")
wrapper = shutil.which("clang-nvlink-wrapper", path=config.llvm_tools_dir)
if wrapper:
    config.available_features.add("clang-nvlink-wrapper")
    config.substitutions.append(("%{clang-nvlink-wrapper}", wrapper))

clang = shutil.which("clang++-19") or shutil.which(
    "clang++", path=config.llvm_tools_dir
)
if clang:
    config.available_features.add("clang")
    config.substitutions.append(("%clangxx", clang))
    # Debian has the programs of clang's new offloading driver in a package of
    # their own.
    if all(
        shutil.which(tool, path=config.llvm_tools_dir)
        for tool in ("clang-offload-packager", "clang-linker-wrapper")
    ):
        config.available_features.add("clang-offload-driver")
        if os.path.exists(os.path.join(config.llvm_tools_dir, "..", "lib", "libomptarget-nvptx-sm_90.bc")):
            config.available_features.add("openmp-offload")
ld_cuda = os.path.join(bin_dir, "ld.cuda")
if os.path.exists(ld_cuda) and "--host-object" in subprocess.run(
    [ld_cuda, "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout:
    config.available_features.add("host-object")
for tool in ("jq", "zsh", "fish", "pkg-config", "dpkg-deb", "rustc", "abidiff"):
    if shutil.which(tool):
        config.available_features.add(tool)
if importlib.util.find_spec("jsonschema"):
    config.available_features.add("jsonschema")
sphinx = shutil.which("sphinx-build")
if sphinx:
    config.available_features.add("sphinx")
    config.substitutions.append(("%sphinx", sphinx))
clang_format = shutil.which("clang-format-19")
if clang_format:
    config.available_features.add("clang-format")
    config.substitutions.append(("%clang_format", clang_format))
if shutil.which("clang-tidy-19"):
    config.available_features.add("clang-tidy")
if have_gpu():
    config.available_features.add("gpu")
if have_namespaces():
    config.available_features.add("namespaces")
if have_overlays():
    config.available_features.add("overlays")
if have_quotas():
    config.available_features.add("quotas")
# LeakSanitizer ends a program that strace watches.
if "address" not in config.sanitize and have_faults():
    config.available_features.add("strace")
if have_root():
    config.available_features.add("root")
if have_xattrs():
    config.available_features.add("xattrs")
if not config.sanitize:
    config.available_features.add("shared-library")
    if os.path.exists(f"{config.build_dir}/lib/liblld-cuda.a"):
        config.available_features.add("static-c-library")
    if importlib.util.find_spec("_ctypes") and sys.version_info >= (3, 9):
        config.available_features.add("python-package")
if importlib.util.find_spec("mypy"):
    config.available_features.add("mypy")
for library in ("libLLVM.so.1", "libLLVM-19.so"):
    library = os.path.join(config.llvm_tools_dir, "..", "lib", library)
    if os.path.exists(library):
        config.available_features.add("libllvm")
        config.substitutions.append(("%{libllvm}", library))
        break
if have_landlock():
    config.available_features.add("landlock")
if config.is_static:
    config.available_features.add("static")
if config.llvm_cmake:
    config.available_features.add("llvm-cmake")
if config.hardening and not config.sanitize:
    config.available_features.add("hardening")
if have_acls():
    config.available_features.add("acls")
if have_capabilities():
    config.available_features.add("capabilities")
if "address" in config.sanitize:
    config.available_features.add("asan")
    # LLVM's libraries are not instrumented: containers and arenas that cross
    # their border carry wrong annotations.
    os.environ.setdefault(
        "ASAN_OPTIONS", "detect_container_overflow=0:allow_user_poisoning=0"
    )

config.environment["PATH"] = os.pathsep.join(path + [os.environ.get("PATH", "")])
for variable in ("CUDA_HOME", "CUDA_PATH", "CCACHE_DIR", "ASAN_OPTIONS", "UBSAN_OPTIONS",
                 "LLDCUDA_RECORD", "LLDCUDA_TOOLKITS"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]
# Libraries that a test does not name must not take part in its links.
config.environment.pop("LIBRARY_PATH", None)

sanitizer = f"-g -fsanitize={config.sanitize}" if config.sanitize else ""
recorded = f"{sys.executable} {config.test_source_root}/recorded.py %s"
config.substitutions += [
    ("%{ptxas}", f"{recorded} ptxas -arch=sm_90 -c"),
    ("%{recorded}", recorded),
    ("%nvlink", os.path.join(bin_dir, "nvlink")),
    ("%fatbinary", os.path.join(bin_dir, "fatbinary")),
    ("%ld_cuda", os.path.join(bin_dir, "ld.cuda")),
    ("%lld-cuda", os.path.join(bin_dir, "lld-cuda")),
    ("%python", sys.executable),
    ("%source_dir", config.source_dir),
    (r"%build_dir/bin\b", bin_dir),
    ("%build_dir", config.build_dir),
    ("%{llvm-tools}", config.llvm_tools_dir),
    ("%{cmake_generator}", f"'{config.cmake_generator}'"),
    ("%cmake", config.cmake),
    ("%{llvm-cmake}", config.llvm_cmake),
    ("%cc", config.c_compiler),
    ("%cxx", config.cxx_compiler),
    ("%{compile-capi}",
     f"{config.c_compiler} {sanitizer} -std=c99 -Wall -Wextra -Werror -pedantic -I{config.source_dir}/bindings/c/include "
     f"-L{config.build_dir}/lib -Wl,-rpath,{config.build_dir}/lib -Wl,--no-as-needed -llld-cuda -pthread"),
]
