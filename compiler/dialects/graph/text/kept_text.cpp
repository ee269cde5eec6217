#include "compiler/dialects/graph/text/kept_text.h"

#include <algorithm>

#include "mlir/IR/Builders.h"

namespace vta::graph {
namespace {

const KeptCache* find(const std::vector<KeptCache>& caches, std::string KeptCache::*member,
                      const std::string& name) {
  const auto found = std::ranges::find(caches, name, member);
  return found == caches.end() ? nullptr : &*found;
}

/// Null where the dictionary has another form than setKeptText gives it.
template <typename Attribute>
Attribute entry(mlir::DictionaryAttr dictionary, const char* name) {
  return dictionary ? dictionary.getAs<Attribute>(name) : Attribute();
}

}  // namespace

const KeptCache* KeptText::cacheOfInput(const std::string& name) const {
  return find(caches, &KeptCache::input, name);
}

const KeptCache* KeptText::cacheOfOutput(const std::string& name) const {
  return find(caches, &KeptCache::output, name);
}

std::optional<KeptText> keptTextOf(mlir::func::FuncOp function) {
  using mlir::ArrayAttr, mlir::IntegerAttr, mlir::StringAttr;
  const auto text = function->getAttrOfType<mlir::DictionaryAttr>(kTextAttr);
  const auto capacity = entry<IntegerAttr>(text, "capacity");
  const auto length = entry<StringAttr>(text, "length");
  const auto caches = entry<ArrayAttr>(text, "caches");
  const auto run_words = entry<IntegerAttr>(text, "run_words");
  if (!capacity || !run_words || !length || !caches) return std::nullopt;
  KeptText kept = {capacity.getInt(), run_words.getInt(), length.str(), {}};
  for (const auto cache : caches.getAsRange<mlir::DictionaryAttr>()) {
    const auto input = entry<StringAttr>(cache, "input");
    const auto output = entry<StringAttr>(cache, "output");
    const auto axis = entry<IntegerAttr>(cache, "axis");
    if (!input || !output || !axis) return std::nullopt;
    kept.caches.push_back({input.str(), output.str(), axis.getInt()});
  }
  return kept;
}

void setKeptText(mlir::func::FuncOp function, const KeptText& text) {
  mlir::Builder builder(function.getContext());
  const auto named = [&](const char* name, mlir::Attribute value) {
    return builder.getNamedAttr(name, value);
  };
  std::vector<mlir::Attribute> caches;
  for (const KeptCache& cache : text.caches) {
    caches.push_back(
        builder.getDictionaryAttr({named("input", builder.getStringAttr(cache.input)),
                                   named("output", builder.getStringAttr(cache.output)),
                                   named("axis", builder.getI64IntegerAttr(cache.axis))}));
  }
  function->setAttr(kTextAttr, builder.getDictionaryAttr(
                                   {named("capacity", builder.getI64IntegerAttr(text.capacity)),
                                    named("run_words", builder.getI64IntegerAttr(text.run_words)),
                                    named("length", builder.getStringAttr(text.length)),
                                    named("caches", builder.getArrayAttr(caches))}));
}

}  // namespace vta::graph
