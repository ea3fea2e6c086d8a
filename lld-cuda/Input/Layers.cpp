//===- Layers.cpp - Inputs that an earlier -r link has made of others -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A layer is a host object with the device code that a link with -r has made
/// of some objects, and with the ids of these objects [layer-object]. If a link
/// has both, such as an archive of the objects and their layer, the layer
/// counts and the objects' own device code is left out. findLayers() marks
/// these objects; readInputs() in Link.cpp calls it when all inputs are loaded
/// and one of them is a layer. It is an error if a layer has only some of an
/// input's objects, because then code would be linked twice.
///
/// collectHostFacts() collects what the host object of a new layer needs, the
/// ids and the lists of host references. writeOtherOutputs() in Link.cpp calls
/// it at the end of a link with -r if the caller asks for these facts, as a
/// device link does.
///
//===----------------------------------------------------------------------===//

#include "Input/InputFiles.h"
#include "Inputs.h"
#include "Passes.h"
#include "lld-cuda/Object/HostObject.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace lld::cuda;

namespace {

class LayerFinder {
public:
  explicit LayerFinder(Inputs &inputs) : inputs(inputs) {}
  void run();

private:
  using Ids = SmallVector<StringRef, 0>;
  struct Layer {
    InputUnit *unit;
    Ids ids;
  };
  void collect();
  void addLayer(Layer &layer);
  bool isLeftOut(InputUnit &unit, const Ids &ids);
  bool isRegistered(const Layer &layer);
  void report(StringRef id, const InputUnit &one, const InputUnit &other);

  Inputs &inputs;
  std::vector<Layer> layers;
  /// The layer that stands for the object with an id, and the device link that
  /// has registered it.
  StringMap<const InputUnit *> layerOf, registeredBy;
};

} // namespace

static bool hasModuleIds(const InputUnit &unit) {
  return unit.host.registration == Registration::ModuleIds;
}

void LayerFinder::report(StringRef id, const InputUnit &one,
                         const InputUnit &other) {
  inputs.diag.report(DiagId::TakesPartTwice,
                     {diag::quoted(id), " is linked twice: in ",
                      diag::file(one.label), " and in ",
                      diag::file(other.label)});
  inputs.diag.explain("each of them holds the device code of several objects; "
                      "an object may be in only one of them");
}

void LayerFinder::collect() {
  for (InputFile &file : inputs.files)
    for (InputUnit &unit : file.units) {
      if (unit.host.isLayer && hasModuleIds(unit))
        if (Ids ids = splitNames(unit.host.moduleIds); !ids.empty())
          layers.push_back({&unit, std::move(ids)});
      if (unit.host.registration == Registration::Definitions &&
          inputs.config.registerFile)
        for (StringRef id : splitNames(unit.host.moduleIds))
          if (id.consume_front("def "))
            registeredBy.try_emplace(id, &unit);
    }
  // A layer of layers stands for all of them.
  stable_sort(layers, [](const Layer &a, const Layer &b) {
    return a.ids.size() > b.ids.size();
  });
}

/// Whether a layer stands for all objects of an input. Reports an error if one
/// stands for some of them.
bool LayerFinder::isLeftOut(InputUnit &unit, const Ids &ids) {
  const InputUnit *layer = layerOf.lookup(ids.front());
  for (StringRef id : ids) {
    const InputUnit *own = layerOf.lookup(id);
    if (own == layer)
      continue;
    report(own ? id : ids.front(), own ? *own : *layer, unit);
    return true;
  }
  unit.host.layer = layer;
  return layer;
}

/// Whether an earlier device link has registered all objects of a layer.
/// Reports an error if one has registered some of them.
bool LayerFinder::isRegistered(const Layer &layer) {
  const InputUnit *first = registeredBy.lookup(layer.ids.front());
  for (StringRef id : layer.ids) {
    const InputUnit *by = registeredBy.lookup(id);
    if (bool(by) == bool(first))
      continue;
    report(by ? id : layer.ids.front(), *layer.unit, by ? *by : *first);
    break;
  }
  return first;
}

void LayerFinder::addLayer(Layer &layer) {
  if (isLeftOut(*layer.unit, layer.ids))
    return;
  layer.unit->host.isRegistered = isRegistered(layer);
  if (layer.unit->host.isRegistered)
    return;
  for (StringRef id : layer.ids)
    layerOf[id] = layer.unit;
}

void LayerFinder::run() {
  collect();
  for (Layer &layer : layers)
    addLayer(layer);
  if (layerOf.empty())
    return;
  for (InputFile &file : inputs.files)
    for (InputUnit &unit : file.units)
      if (!unit.host.isLayer && hasModuleIds(unit))
        if (Ids ids = splitNames(unit.host.moduleIds); !ids.empty())
          isLeftOut(unit, ids);
}

void lld::cuda::findLayers(Inputs &inputs) { LayerFinder(inputs).run(); }

/// The lists of an input in HostListSections' order.
static std::array<StringRef, std::size(HostListSections)>
listsOf(const InputUnit &unit) {
  return {unit.host.kernelsExternal,   unit.host.kernelsInternal,
          unit.host.variablesExternal, unit.host.variablesInternal,
          unit.host.constantsExternal, unit.host.constantsInternal};
}

void lld::cuda::collectHostFacts(const Inputs &inputs) {
  HostFacts &facts = inputs.job.facts->host;
  facts.lists.resize(std::size(HostListSections));
  std::vector<StringSet<>> seen(facts.lists.size());
  StringSet<> seenIds;
  bool isComplete = true;
  for (const InputFile &file : inputs.files) {
    if (file.dropped)
      continue;
    for (const InputUnit &unit : file.units) {
      isComplete &= unit.host.hasHostLists || !unit.host.countsForHostInfo;
      for (auto [list, names, all] : zip(listsOf(unit), seen, facts.lists))
        for (StringRef name : splitNames(list))
          if (names.insert(name).second) {
            if (!all.empty())
              all.push_back('\0');
            all += name;
          }
      if (!hasModuleIds(unit) || unit.host.isRegistered || unit.host.layer)
        continue;
      for (StringRef id : splitNames(unit.host.moduleIds))
        if (seenIds.insert(id).second)
          facts.moduleIds.push_back(id.str());
    }
  }
  if (!isComplete)
    facts.lists.clear();
}
