// A model that keeps a text.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/compiler/frontend/model_builder.h"

namespace vta::compiler {

/// Attention that gives all that a word sees the same weight: the means of the text's numbers.
/// `words` is the extent of the words' dimension; negative: any.
inline ModelBuilder meanOfText(int64_t words = -1) {
  ModelBuilder model;
  model.input("inputs_embeds", {1, words, 2});
  model.input("past", {1, -2, 2});
  model.floats("zero", {1}, 0);
  model.node("Concat", {"past", "inputs_embeds"}, {"present"});
  ModelBuilder::attribute(*model.graph().mutable_node(0), "axis", int64_t{1});
  model.node("Transpose", {"present"}, {"turned"});
  ModelBuilder::attribute(*model.graph().mutable_node(1), "perm", std::vector<int64_t>{0, 2, 1});
  model.node("Mul", {"inputs_embeds", "zero"}, {"query"});
  model.node("MatMul", {"query", "turned"}, {"scores"});
  model.node("Softmax", {"scores"}, {"weights"});
  ModelBuilder::attribute(*model.graph().mutable_node(4), "axis", int64_t{-1});
  model.node("MatMul", {"weights", "present"}, {"mean"});
  model.output("mean");
  model.output("present");
  return model;
}

}  // namespace vta::compiler
