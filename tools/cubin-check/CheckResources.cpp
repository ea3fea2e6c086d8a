//===- CheckResources.cpp - Can the kernels be launched? ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-check's check() calls checkResources() to find kernels whose launch
/// would fail: too much shared memory for a GPU, more registers for a block
/// than the 65,536 of a multiprocessor, or too large a cluster. It also tells
/// of stacks of unknown size and of kernels that launch kernels. Facts.cpp has
/// kept only kernels that may have such a problem. A library may have thousands
/// of them, so one finding stands for all kernels of a file with the same
/// problem and names the first one.
///
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include <map>

using namespace llvm;

namespace lld::cuda {

namespace {

/// Kernels of a file about which the same is to be told.
struct Group {
  SetVector<uint32_t> kernels;
  std::vector<unsigned> gpus;
  uint64_t most = 0;

  void add(uint32_t kernel, uint64_t amount) {
    most = std::max(most, amount);
    kernels.insert(kernel);
  }
};

class ResourceCheck {
public:
  ResourceCheck(const Facts &facts, const CheckOptions &options,
                CheckResult &result)
      : facts(facts), options(options), result(result) {}

  void run() {
    for (const FileFacts &file : facts.files)
      checkFile(file);
  }

private:
  void checkFile(const FileFacts &file) {
    std::map<FindingId, Group> groups;
    size_t launchers = 0;
    for (const ImageFacts &image : file.images) {
      if (image.form != ImageForm::Cubin || image.isRelocatable ||
          !isForDriver(image, file))
        continue;
      launchers += image.usesDeviceRuntime;
      for (const DemandingKernel &kernel : image.demanding)
        checkKernel(image, kernel, groups);
    }
    for (auto &[id, group] : groups)
      add(id, file, group);
    if (launchers)
      result.findings.push_back(
          {FindingId::UsesDeviceRuntime,
           file.name,
           std::to_string(launchers) +
               (launchers == 1 ? " image has" : " images have") +
               " kernels that launch kernels",
           {},
           {}});
  }

  void checkKernel(const ImageFacts &image, const DemandingKernel &kernel,
                   std::map<FindingId, Group> &groups) {
    constexpr uint64_t Registers = 65536;
    constexpr uint32_t PortableCluster = 8, LargestCluster = 16;
    // Without --gpu the GPU is that which the code is for.
    std::vector<unsigned> gpus = {image.arch.number};
    if (options.isAsked) {
      gpus.clear();
      for (const Target &target : options.targets)
        if (runsOn(image.arch, target.number))
          gpus.push_back(target.number);
    }
    for (unsigned gpu : gpus) {
      const elf::ArchitectureLimits *limits = elf::getArchitectureLimits(gpu);
      if (!limits || kernel.shared <= limits->sharedExtended)
        continue;
      Group &group = groups[FindingId::SharedTooLarge];
      group.add(kernel.name, kernel.shared);
      if (!is_contained(group.gpus, gpu))
        group.gpus.push_back(gpu);
    }
    if (uint64_t(kernel.registers) * kernel.threads > Registers)
      groups[FindingId::TooManyRegisters].add(
          kernel.name, uint64_t(kernel.registers) * kernel.threads);
    if (kernel.cluster > PortableCluster)
      groups[kernel.cluster > LargestCluster ? FindingId::ClusterTooLarge
                                             : FindingId::ClusterNotPortable]
          .add(kernel.name, kernel.cluster);
    if (kernel.isStackUnbounded)
      groups[FindingId::StackUnbounded].add(kernel.name, 0);
  }

  static StringRef describeAmount(FindingId id) {
    switch (id) {
    case FindingId::SharedTooLarge:
      return " bytes of shared memory";
    case FindingId::TooManyRegisters:
      return " registers for a block";
    default:
      return " blocks in a cluster";
    }
  }

  void add(FindingId id, const FileFacts &file, const Group &group) {
    const size_t count = group.kernels.size();
    std::string what = std::to_string(count) +
                       (count == 1 ? " kernel needs " : " kernels need ");
    if (id == FindingId::StackUnbounded)
      what += "a stack of unknown size";
    else
      what += (count == 1 ? "" : "up to ") + std::to_string(group.most) +
              describeAmount(id).str();
    if (!group.gpus.empty())
      what += ", too much for " + listGpus(group.gpus);
    what += (count == 1 ? ": " : ", such as ") +
            facts.names[group.kernels.front()].str();
    result.findings.push_back({id, file.name, what, group.gpus, {}});
  }

  const Facts &facts;
  const CheckOptions &options;
  CheckResult &result;
};

} // namespace

void checkResources(const Facts &facts, const CheckOptions &options,
                    CheckResult &result) {
  ResourceCheck(facts, options, result).run();
}

} // namespace lld::cuda
