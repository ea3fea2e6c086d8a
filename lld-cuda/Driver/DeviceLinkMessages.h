//===- DeviceLinkMessages.h - What several links say ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DRIVER_DEVICELINKMESSAGES_H
#define LLD_CUDA_DRIVER_DEVICELINKMESSAGES_H

#include "Config.h"
#include "Driver/MessageOptions.h"
#include "Messages/Printers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace lld::cuda {

/// Messages of all links and of this file, which come out at the end.
class DeviceLinkMessages {
public:
  DeviceLinkMessages(llvm::raw_ostream &err, bool isStandardError,
                     llvm::ArrayRef<const char *> args)
      : err(err), isStandardError(isStandardError) {
    config.flavor = Flavor::LLD;
    config.program = args.front();
    readMessageOptions(config, args, isStandardError);
  }
  ~DeviceLinkMessages() {
    if (config.errorFormat == ErrorFormat::Sarif)
      err << joinSarif(texts);
    else
      err << llvm::join(texts, "");
  }

  bool hasColor() const { return config.lld.color; }
  /// A file of options may say it.
  void readFormat(llvm::ArrayRef<const char *> words) {
    readMessageOptions(config, words, isStandardError);
  }
  /// Once what all say.
  void add(const std::string &text) {
    if (said.insert(text).second)
      texts.push_back(text);
  }
  void report(DiagId id, llvm::StringRef text) {
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    std::unique_ptr<DiagnosticPrinter> printer = createPrinter(stream, config);
    printer->print(Diagnostic(id, Severity::Error, {text}));
    printer->end();
    add(printed);
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
