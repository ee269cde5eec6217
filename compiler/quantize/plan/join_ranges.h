// Concatenations of activations with ranges that differ. docs/quantisation.md, "Joins".
#pragma once

#include <vector>

#include "compiler/quantize/plan/equalize.h"
#include "compiler/quantize/plan/plan.h"

namespace vta::compiler {

/// How much finer the steps of each of plan.activations are than those of its class, as log2: what
/// moves connect is one class, and has one scale but for these powers of two. All 0 but for what
/// concatenations of channels join for contractions alone, whose weights take the difference.
std::vector<int> joinExponents(const QuantPlan& plan, const std::vector<ChannelStats>& stats);

/// Fills in what the channels of such concatenations are multiplied by in their common scale.
void addJoinFactors(const QuantPlan& plan, const std::vector<int>& exponents,
                    std::vector<std::vector<float>>& factors);

/// Takes concatenations off `plan`, with the moves behind them, that floats alone read and that
/// join ranges which differ much: each part then has its own scale.
void leaveUnevenJoins(QuantPlan& plan, const std::vector<ChannelStats>& stats);

}  // namespace vta::compiler
