// Links twice at once, in two threads: its own arguments, and the same again
// without writing a file. Nothing but the installed package is used.
#include "lld-cuda/Linker.h"
#include <thread>

int main(int argc, char **argv) {
  llvm::ArrayRef<const char *> args(argv + 1, argc - 1);
  bool first = false, second = false;
  std::thread other([&] {
    llvm::raw_null_ostream out, err;
    second = lld::cuda::link(args, out, err,
                             /*exitEarly=*/false, /*disableOutput=*/true);
  });
  first = lld::cuda::link(args, llvm::outs(), llvm::errs(),
                          /*exitEarly=*/false, /*disableOutput=*/false);
  other.join();
  return first && second ? 0 : 1;
}
