//===- Sandbox.cpp - Gives up rights with Landlock ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Restricts what the process may do with files and the network, so that an
/// input that exploits a bug gains less. The linker (Confinement.cpp),
/// lld-cuda-lto and the cubin-* tools call enterSandbox() once, when they have
/// read their command line and before they read an input. It uses Landlock,
/// whose rulesets name kinds of access that are refused everywhere but beneath
/// the folders and files of its rules; for tools that only look at files,
/// SystemCallFilter.cpp is added. Landlock's system calls have no functions in
/// the C library, and the kernel's headers may be older than the kernel:
/// numbers and records are here, as they are in linux/landlock.h.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/Sandbox.h"
#include "Sanitizers.h"
#include "SystemCallFilter.h"
#include "lld-cuda/Support/Parallel.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace llvm;

namespace lld::cuda {

namespace {
/// System calls of Landlock, whose numbers are equal on all processors.
enum : long { CreateRuleset = 444, AddRule = 445, RestrictSelf = 446 };
enum : unsigned { AskVersion = 1, PathBeneath = 1 };

enum Access : uint64_t {
  Execute = 1 << 0,
  WriteFile = 1 << 1,
  ReadFile = 1 << 2,
  ReadFolder = 1 << 3,
  RemoveFolder = 1 << 4,
  RemoveFile = 1 << 5,
  MakeDevice = 1 << 6,
  MakeFolder = 1 << 7,
  MakeFile = 1 << 8,
  MakeSocket = 1 << 9,
  MakePipe = 1 << 10,
  MakeDisk = 1 << 11,
  MakeLink = 1 << 12,
  Refer = 1 << 13,    ///< Since version 2.
  Truncate = 1 << 14, ///< Since version 3.
};
constexpr uint64_t ForFiles = Execute | WriteFile | ReadFile | Truncate;
constexpr uint64_t Writing = WriteFile | RemoveFolder | RemoveFile |
                             MakeDevice | MakeFolder | MakeFile | MakeSocket |
                             MakePipe | MakeDisk | MakeLink | Refer | Truncate;
constexpr uint64_t Outputs = WriteFile | RemoveFile | MakeFile | Refer |
                             Truncate | ReadFile | ReadFolder;
constexpr uint64_t Reading = ReadFile | ReadFolder;
constexpr uint64_t BindAndConnect = 3;    ///< Since version 4.
constexpr uint64_t SocketsAndSignals = 3; ///< Since version 6.
/// Files can be cut short before version 3, and connections made before 4.
constexpr int NeededVersion = 4;

struct RulesetRecord {
  uint64_t files = 0, network = 0, scope = 0;
};
struct [[gnu::packed]] PathRecord {
  uint64_t access;
  int32_t folder;
};

class Ruleset {
public:
  Ruleset(int version, const SandboxRules &rules);
  ~Ruleset() {
    if (fd >= 0)
      ::close(fd);
  }
  void addRules(const SandboxRules &rules);
  bool enter() const { return fd >= 0 && ::syscall(RestrictSelf, fd, 0) == 0; }

private:
  void allow(const Twine &path, uint64_t access);
  void allowFolderOf(StringRef path, uint64_t access);
  void allowOutput(StringRef path);

  RulesetRecord record;
  int fd;
};
} // namespace

Ruleset::Ruleset(int version, const SandboxRules &rules) {
  record.files = Writing;
  if (!rules.startsPrograms)
    record.files |= Execute;
  if (rules.reads)
    record.files |= Reading;
  if (version < 3)
    record.files &= ~uint64_t(Truncate);
  if (version < 2)
    record.files &= ~uint64_t(Refer);
  if (version >= 4)
    record.network = BindAndConnect;
  // Programs that are started are to be ended.
  if (version >= 6 && !rules.startsPrograms)
    record.scope = SocketsAndSignals;
  const size_t size = version >= 6   ? sizeof(record)
                      : version >= 4 ? 2 * sizeof(uint64_t)
                                     : sizeof(uint64_t);
  fd = ::syscall(CreateRuleset, &record, size, 0);
}

/// What isn't there can't be opened, and what is made there later needs a rule
/// of its folder.
void Ruleset::allow(const Twine &path, uint64_t access) {
  SmallString<128> storage;
  const char *name = path.toNullTerminatedStringRef(storage).data();
  PathRecord rule;
  rule.folder = ::open(name, O_PATH | O_CLOEXEC);
  struct stat status;
  if (rule.folder < 0)
    return;
  rule.access = access & record.files;
  if (::fstat(rule.folder, &status) == 0 && !S_ISDIR(status.st_mode))
    rule.access &= ForFiles;
  if (rule.access)
    ::syscall(AddRule, fd, PathBeneath, &rule, 0);
  ::close(rule.folder);
}

void Ruleset::allowFolderOf(StringRef path, uint64_t access) {
  const StringRef folder = sys::path::parent_path(path);
  allow(folder.empty() ? "." : folder, access);
}

/// New files are made in its folder, and in that of the file for which links
/// stand; a device is written to where it is.
void Ruleset::allowOutput(StringRef path) {
  allowFolderOf(path, Outputs);
  allow(path, WriteFile | Truncate | ReadFile);
  SmallString<128> target;
  if (!sys::fs::real_path(path, target) && target != path)
    allowFolderOf(target, Outputs);
}

void Ruleset::addRules(const SandboxRules &rules) {
  for (const std::string &path : rules.outputs)
    allowOutput(path);
  for (const std::string &path : rules.folders)
    allow(path, Writing | Reading);
  if (!rules.reads)
    return;
  for (const std::string &path : *rules.reads) {
    allow(path, Reading);
    struct stat status;
    if (::stat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode))
      allowFolderOf(path, Reading);
  }
}

//===----------------------------------------------------------------------===//

/// A sandbox is in force.
static bool isConfined = false;

static constexpr std::pair<StringLiteral, SandboxMode> ModeNames[] = {
    {"auto", SandboxMode::Auto},
    {"yes", SandboxMode::Yes},
    {"no", SandboxMode::No}};

std::optional<SandboxMode> parseSandboxMode(StringRef name) {
  for (const auto &[known, mode] : ModeNames)
    if (known == name)
      return mode;
  return std::nullopt;
}

StringRef getSandboxModeName(SandboxMode mode) {
  return ModeNames[unsigned(mode)].first;
}

static Error cannot(const Twine &why) {
  return createStringError("--sandbox=yes: " + why);
}

Error enterSandbox(SandboxMode mode, const SandboxRules &rules,
                   const char *program) {
  if (mode == SandboxMode::No || (mode == SandboxMode::Auto && HasSanitizer))
    return Error::success();
  const bool isNeeded = mode == SandboxMode::Yes;
  const int version =
      int(::syscall(CreateRuleset, nullptr, size_t(0), AskVersion));
  if (isNeeded && version < NeededVersion)
    return cannot(version < 1
                      ? Twine("this kernel has no Landlock, or it is off")
                      : "this kernel has version " + Twine(version) +
                            " of Landlock, and version " +
                            Twine(NeededVersion) + " (Linux 6.7) is needed");
  // No core file of what is in memory.
  const struct rlimit none = {0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  // Needed for both: what is started can't get more rights than we have.
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return isNeeded ? cannot("no_new_privs can't be set") : Error::success();
  if (version >= 1) {
    Ruleset ruleset(version, rules);
    ruleset.addRules(rules);
    isConfined = ruleset.enter();
  }
  if (isNeeded && !isConfined)
    return cannot("Landlock can't be used here");
  if (rules.onlyLooks)
    startThreadsAnywhere();
  if (rules.onlyLooks && !filterSystemCalls(program) && isNeeded)
    return cannot("system calls can't be filtered here (seccomp)");
  return Error::success();
}

namespace {
class DeniedCategory final : public std::error_category {
public:
  const char *name() const noexcept override { return "lld-cuda.sandbox"; }
  std::string message(int error) const override {
    return std::generic_category().message(error) +
           " (the sandbox may have refused it; --sandbox=no turns the sandbox "
           "off)";
  }
  std::error_condition
  default_error_condition(int error) const noexcept override {
    return {error, std::generic_category()};
  }
};
} // namespace

std::error_code explainDenied(std::error_code error) {
  static const DeniedCategory category;
  if (!isConfined || (error != std::errc::permission_denied &&
                      error != std::errc::cross_device_link))
    return error;
  return {error.value(), category};
}

} // namespace lld::cuda
