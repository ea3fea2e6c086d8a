# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs tests of LLVM and clang with the tools of the partial build, and with the
# installed ones where it has none. Parameters: source (root of the source tree),
# build (folder of the partial build), llvm (bin folder of the installed LLVM).
import os
import sys

import lit.formats
import lit.llvm

params = lit_config.params
build, installed = params["build"], params["llvm"]

config.name = "lld-cuda's patches for LLVM"
# The shell of LLVM's own configurations: the system's until 22, whose lit's has no umask.
config.test_format = lit.formats.ShTest(execute_external=lit.__versioninfo__ < (23,))
config.suffixes = [".test", ".yaml", ".c", ".cu"]
config.excludes = ["Inputs"]
config.test_exec_root = os.path.join(build, "test")

# What the configurations of LLVM's own test suites ask for.
config.targets = frozenset(["X86", "NVPTX"])
config.available_features |= {
    "x86-registered-target", "nvptx-registered-target", "shell", "system-linux",
    "zlib", "zstd",
}

# Some folders' own configurations ask this for tools.
config.llvm_tools_dir = installed
config.llvm_shlib_dir = os.path.join(os.path.dirname(installed), "lib")
config.host_triple = config.target_triple = "x86_64-pc-linux-gnu"
config.llvm_use_sanitizer = config.lit_tools_dir = ""
config.ppc_linux_default_ieeelongdouble = config.spirv_tools_tests = False
lit.llvm.initialize(lit_config, config)

path = [os.path.join(build, "bin"), installed, config.environment["PATH"]]
config.environment["PATH"] = os.pathsep.join(path)
def tool(name):
    own = os.path.join(build, "bin", name)
    return own if os.path.exists(own) else os.path.join(installed, name)


config.substitutions += [
    ("%clangxx", tool("clang++")),
    ("%clang_cc1", tool("clang") + " -cc1"),
    ("%clang_cl", tool("clang") + " --driver-mode=cl"),
    ("%clang", tool("clang")),
    ("%python", sys.executable),
    ("%errc_ENOENT", "'No such file or directory'"),
    ("%errc_EACCES", "'Permission denied'"),
    ("%errc_EISDIR", "'Is a directory'"),
    ("%errc_EINVAL", "'Invalid argument'"),
]
# Folders' own configurations may put the installed tools first.
own_tools = os.path.join(build, "bin")
for name in sorted(os.listdir(own_tools)) if os.path.isdir(own_tools) else []:
    config.substitutions.append((rf"(?<![\w/.-]){name.replace('+', '[+]')}(?![\w/.+-])", os.path.join(own_tools, name)))
