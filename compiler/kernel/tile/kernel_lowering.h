// KernelLowering: walks the tiles of one kernel and emits its program.
#pragma once

#include "compiler/kernel/emit/kernel_context.h"
#include "compiler/kernel/emit/tile_job.h"
#include "compiler/kernel/tile/alu_pooling.h"
#include "compiler/kernel/tile/kernel_emitters.h"
#include "isa/program/program.h"

namespace vta::kernel {

/// A tile has three phases: its start, its reduction and its epilogue. This class decides how the
/// phases of neighbouring tiles follow each other in the program.
class KernelLowering {
 public:
  /// `plan` must be makePlan's for the other arguments. All of them must outlive the object.
  KernelLowering(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                 const KernelPlan& plan);

  /// Emits the whole program. To be called once.
  Program run();

 private:
  void reserve();
  void lowerInOrder();
  void lowerGemmPipelined();
  void lowerPipelined();
  void finishPipelined(TileJob& job);

  KernelContext context_;
  TileOrder order_;
  KernelEmitters emitters_;
  AluPooling pooling_;
};

}  // namespace vta::kernel
