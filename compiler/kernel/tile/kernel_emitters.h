// KernelEmitters: what emits the parts of a kernel's tiles.
#pragma once

#include "compiler/kernel/emit/alu_steps.h"
#include "compiler/kernel/emit/constant_operands.h"
#include "compiler/kernel/emit/int8_operand.h"
#include "compiler/kernel/emit/kernel_context.h"
#include "compiler/kernel/tile/accumulator_factors.h"
#include "compiler/kernel/tile/epilogue.h"
#include "compiler/kernel/tile/gemm_reduction.h"
#include "compiler/kernel/tile/tile_start.h"

namespace vta::kernel {

/// The emitters of one kernel, which refer to each other and to its context.
struct KernelEmitters {
  explicit KernelEmitters(KernelContext& context)
      : constants(context),
        int8(context),
        steps(context, constants),
        start(context, constants, int8, steps),
        factors(context, constants),
        gemm(context, factors),
        epilogue(context, int8, steps) {}
  KernelEmitters(const KernelEmitters&) = delete;
  KernelEmitters& operator=(const KernelEmitters&) = delete;

  ConstantOperands constants;
  Int8Loader int8;
  AluSteps steps;
  TileStart start;
  AccumulatorFactors factors;
  GemmReduction gemm;
  Epilogue epilogue;
};

}  // namespace vta::kernel
