//===- DeviceLinkMessages.h - What several links say ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Collects the messages of a device link for several architectures, whose
/// links run at once: what all of them say is told once, in the order of the
/// architectures. DeviceLink.cpp makes one for each run.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DRIVER_DEVICELINKMESSAGES_H
#define LLD_CUDA_DRIVER_DEVICELINKMESSAGES_H

#include "Driver/Driver.h"
#include "Driver/MessageOptions.h"
#include "Messages/Printers.h"
#include "Rules/Config.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace lld::cuda {

/// Messages of all links and of this file, which come out at the end.
class DeviceLinkMessages {
public:
  DeviceLinkMessages(llvm::raw_ostream &err, bool isStandardError,
                     llvm::ArrayRef<const char *> args)
      : err(err), isStandardError(isStandardError) {
    config.flavor = flavorOf(args.front());
    config.program = args.front();
    readMessageOptions(config, args, isStandardError);
  }
  ~DeviceLinkMessages() {
    if (config.errorFormat == ErrorFormat::Sarif)
      err << joinSarif(texts);
    else
      err << llvm::join(texts, "");
  }

  /// A file of options may say it.
  void readFormat(llvm::ArrayRef<const char *> words) {
    readMessageOptions(config, words, isStandardError);
  }
  /// Adds a message of one architecture's link. What all of them say is told
  /// once.
  void add(const std::string &text) {
    if (said.insert(text).second)
      texts.push_back(text);
  }
  void report(DiagId id, llvm::StringRef text) {
    report(Diagnostic(id, Severity::Error, {text}));
  }
  void report(const Diagnostic &diagnostic) {
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    std::unique_ptr<DiagnosticPrinter> printer = createPrinter(stream, config);
    printer->print(diagnostic);
    printer->end();
    add(printed);
  }

  /// Objects of clang's new driver: what registers them its own linker makes,
  /// and no host object could. Returns whether there are any.
  bool reportUnregistered(llvm::ArrayRef<std::string> files) {
    for (const std::string &file : files)
      report(DiagId::NotRegistered,
             "--host-object: nothing in '" + file +
                 "' asks to be registered; clang's new driver leaves that to "
                 "clang-linker-wrapper. Compile with --no-offload-new-driver, "
                 "or link with --offload-link");
    return !files.empty();
  }

private:
  llvm::raw_ostream &err;
  const bool isStandardError;
  Config config;
  llvm::StringSet<> said;
  std::vector<std::string> texts;
};

} // namespace lld::cuda

#endif
