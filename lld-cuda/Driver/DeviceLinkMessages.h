//===- DeviceLinkMessages.h - Messages of a device link ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The collector of a device link's messages. DeviceLink.cpp makes one for each
/// device link, whose links for several architectures run in parallel, and adds
/// the text of each link's messages in the order of the architectures. A text
/// that several links have in common is printed once. Everything is printed by
/// the destructor.
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

/// Collects the messages of all links and those of DeviceLink.cpp itself, and
/// prints them in its destructor to `err`, which must outlive it.
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

  /// Reads the format of messages again, from the command line with its
  /// response files expanded.
  void readFormat(llvm::ArrayRef<const char *> words) {
    readMessageOptions(config, words, isStandardError);
  }
  /// Adds the text of a message, unless an equal text was added before.
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

  /// Reports host objects of clang's new driver, `files`: their device code is
  /// registered by clang-linker-wrapper only, so that no host object made here
  /// can do it. Returns whether there are any.
  bool reportUnregistered(llvm::ArrayRef<std::string> files) {
    for (const std::string &file : files)
      report(DiagId::NotRegistered,
             "--host-object: the device code in '" + file +
                 "' can't be registered, since clang's new driver leaves that "
                 "to clang-linker-wrapper; compile with "
                 "--no-offload-new-driver, or link with --offload-link");
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
