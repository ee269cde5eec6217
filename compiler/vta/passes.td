//===- passes.td - from the quantised graph to kernels of the accelerator -------------------------===//
//
// The passes are listed in the order in which the compiler runs them. docs/compiler.md describes the
// phases and what holds after each of them.
//
//===------------------------------------------------------------------------------------------===//

#ifndef VTA_COMPILER_VTA_PASSES
#define VTA_COMPILER_VTA_PASSES

include "mlir/Pass/PassBase.td"

class Vta_Pass<string argument> : Pass<argument, "::mlir::ModuleOp">;

/// A pass that depends on the hardware configuration. Its C++ class derives from HwPass.
class Vta_HwPass<string argument, list<Option> more_options = []> : Vta_Pass<argument> {
  let options = [Option<"hw_file", "hw", "std::string", "",
                        "Hardware configuration (YAML file); the default configuration without it">]
                # more_options;
}

def MergeMovesPass : Vta_Pass<"vta-merge-moves"> {
  let summary = "Turn rolls, tiles and expansions of images into one op each";
  let description = [{
    Two slices that are joined in the other order become `graph.pad wrap` with pads of opposite signs. So does an image that
    is repeated below or beside itself, with pads at its end. A row, column or pixel of a kernel that is expanded to an image
    becomes `graph.interleave` with `repeat`. Kernels store by these ops. Results do not change.
  }];
  let dependentDialects = ["::vta::graph::GraphDialect"];
}

def RewriteFirstLayerPass : Vta_HwPass<"vta-rewrite-first-layer"> {
  let summary = "Rearrange inputs with few channels so that convolutions fill the GEMM core";
  let description = [{
    An image with 3 channels uses only 3 of the GEMM core's input lanes. For each int8 convolution on a
    model input, the pass counts the GEMM steps of four equivalent forms (padded channels, space to
    depth, window rows, whole windows) and takes the form with the fewest. The host rearranges the input
    in the function that quantises it. Results do not change.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::vta::graph::GraphDialect"];
}

def OrderChannelsPass : Vta_HwPass<"vta-order-channels"> {
  let summary = "Let weights know where shuffled, split and joined channels are, instead of moving them";
  let description = [{
    Reshapes, transposes and slices that move whole channels, and concatenations of parts that are no whole blocks, move
    nothing: later operations know where each channel is. Convolutions get weights for the channels as they are. Element-wise
    operations, pooling and depthwise convolutions get their constants in the same order. A sum of two activations makes the
    convolution in front of one of them store its channels as the other one has them. Anything else reads a copy in order,
    from a convolution that has a single one in each filter. Results do not change.

    A concatenation gets its parts filled up to whole blocks by `graph.pad` with the attribute `vta.any_value`: nothing uses
    the channels that it adds, so it vanishes when it is packed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::vta::graph::GraphDialect"];
}

def ReadWholeBlocksPass : Vta_HwPass<"vta-read-whole-blocks"> {
  let summary = "Take channels from within a block by convolutions that read whole blocks";
  let description = [{
    Channels that do not begin with a block of the packed layout can be taken out of it on the host only. A convolution of
    such a slice reads the blocks that hold its channels instead. Its weights for the other channels are zero, so results do
    not change. Where sums read the slice too, a convolution with a single one in each filter takes the channels out. The
    pass leaves slices alone that the host reads too, and those of model inputs, which the host packs in any case.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::vta::graph::GraphDialect"];
}

def PadChannelsPass : Vta_Pass<"vta-pad-channels"> {
  let summary = "Let kernels make the constant channels that an image between them gets";
  let description = [{
    A constant `graph.pad` of the channels of an int8 image, which kernels may make and read, becomes a 1x1 convolution. Its
    filters have a single one each, or no weight and the pad's value as bias. Results do not change.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::vta::graph::GraphDialect"];
}

def PartitionPass : Vta_HwPass<"vta-partition"> {
  let summary = "Outline what the VTA can compute, one function per kernel";
  let description = [{
    Every group of ops in `@main` that one kernel can compute becomes a call of a function with the
    attribute `vta.offload`. Every other op gets the attribute `vta.reason`, a string that says why it
    stays on the host.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::vta::compiler::VtaDialect"];
}

class Vta_CallPass<string argument> : Vta_HwPass<argument> {
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::vta::graph::GraphDialect", "::vta::compiler::VtaDialect"];
}

def PackPass : Vta_CallPass<"vta-pack"> {
  let summary = "References of offloaded groups on packed tensors, with packing between them cancelled";
  let description = [{
    Every call of an offloaded function becomes a call of its *reference*: a function of linalg ops on
    packed tensors that computes the same. `vta.pack` and `vta.unpack` convert activations around the
    call, and cancel between two calls. Weights and parameters are packed at compile time; they are
    operands of the reference, so layers of one shape share a reference. Of a product of two activations
    the host packs one as weights when it is there.
  }];
}

def PlaceProgramsPass : Vta_CallPass<"vta-place-programs"> {
  let summary = "Turn nodes that tile kernels of the user's compute into programs";
  let description = [{
    A call of a function with the attribute `vta.tile_kernel` becomes a `vta.program`, with `vta.pack` and `vta.unpack` around
    it. Constants are packed at compile time. The function becomes the program's reference, on packed tensors.
  }];
}

def TensorisePass : Vta_CallPass<"vta-tensorise"> {
  let summary = "Turn packed references that are proved to be built from intrinsics into kernels";
  let description = [{
    A call of a reference becomes a `vta.kernel` if the reference is proved to consist of the
    hardware's intrinsics (GEMM, ALU operations, load, store) and if some schedule of the kernel fits
    the hardware. Any other group goes back into `@main` as graph ops, with the reason in `vta.reason`.
  }];
}

def RequireOffloadPass : Vta_Pass<"vta-require-offload"> {
  let summary = "An error for every operation with multiplications that is left in @main";
  let description = [{
    The message names the layer and says why it cannot run on the VTA. The compiler runs this pass for
    `--partition=vta`.
  }];
  let dependentDialects = ["::vta::compiler::VtaDialect"];
}

def PlaceConcatPass : Vta_Pass<"vta-place-concat"> {
  let summary = "Turn concatenations of packed tensors into places in one buffer";
  let description = [{
    A concatenation along channel blocks becomes `vta.concat`, for which nothing runs, where every part
    can be written directly to its place in the joined tensor. Other concatenations stay host ops.
  }];
  let dependentDialects = ["::vta::compiler::VtaDialect"];
}

def PlaceSlicePass : Vta_Pass<"vta-place-slice"> {
  let summary = "Let kernels read ranges of packed tensors where they lie";
  let description = [{
    A range of channel blocks that only kernels read, of a tensor that kernels wrote, becomes `vta.slice`,
    for which nothing runs. Other slices stay host ops.
  }];
  let dependentDialects = ["::vta::compiler::VtaDialect"];
}

def OutlineHostPass : Vta_Pass<"vta-outline-host"> {
  let summary = "Outline all but constants and kernels of @main into host functions";
  let description = [{
    Afterwards `@main` holds only constants, `vta.kernel`, `vta.concat`, `vta.slice`, calls of host functions and its
    return. There are as few host functions as the kernels between them allow, or some more where the
    host can then work while the VTA does.
    Code of very long functions takes long to compile. So a function has at most `most-ops` operations.
    A row of more is cut in front of a layer, where the fewest bytes are still needed.
    Each operation is for the back end with which everything takes least; the optional back end `offer` is
    one of them. One that the back end `prefer` can run is for that one, whatever it takes.
  }];
  let options = [Option<"most_ops", "most-ops", "unsigned", "256", "Operations in one function, at most (at least 1)">,
                 Option<"offer", "offer", "std::string", "\"\"", "An optional back end that is weighed, too">,
                 Option<"prefer", "prefer", "std::string", "\"\"", "A back end that gets all that it can run">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::vta::graph::GraphDialect", "::vta::compiler::VtaDialect"];
}

def FuseRequantisationPass : Vta_HwPass<"vta-fuse-requantisation"> {
  let summary = "Requantise in one ALU operation";
  let description = [{
    On hardware with the extension `requant`, ADD of the bias, QMUL and CLIP in a row become one REQUANT
    in the kernel's description. Its parameters are laid out as REQUANT reads them, and a copy of the
    kernel's reference takes them that way. The results do not change.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::vta::compiler::VtaDialect"];
}

def FoldDepthwisePass : Vta_HwPass<"vta-fold-depthwise"> {
  let summary = "Let a GEMM add a row of taps in depthwise kernels";
  let description = [{
    On hardware with the extension `depthwise`, a GEMM takes several neighbouring inputs, each output its
    own channel. Weights of kernels with one block a group, in which no output has a weight for a channel
    outside its pair, are laid out for that: one tile holds a row of taps. A copy of the kernel's reference
    takes them that way. The results do not change.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::vta::compiler::VtaDialect"];
}

def FactorWeightsPass : Vta_HwPass<"vta-factor-weights"> {
  let summary = "Weights of 8 bits as narrow ones with factors";
  let description = [{
    On hardware whose weights have 4 or 2 bits, weights of a kernel that do not fit are divided by factors that
    the weights of an output channel and of some blocks of input channels have in common. The accumulators are
    multiplied by parameters between the products of these blocks (`factor_blocks` of `#vta.kernel`). A copy of
    the kernel's reference takes weights and factors that way. The results do not change.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::vta::compiler::VtaDialect"];
}

def NarrowWeightsPass : Vta_HwPass<"vta-narrow-weights"> {
  let summary = "Weights of fewer than 8 bits as they lie in memory";
  let description = [{
    On hardware whose weights have 4 or 2 bits, the weights of kernels, whose values fit, are packed so
    that they fill whole bytes. A copy of the kernel's reference takes them that way. The results do not
    change.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::vta::compiler::VtaDialect"];
}

def ReadStoredWeightsPass : Vta_HwPass<"vta-read-stored-weights"> {
  let summary = "Read the second operand of a product where a kernel has stored it";
  let description = [{
    The second operand of a product of two activations takes the place of weights. Where it is what
    another kernel has stored, with its parts rearranged only, and its rows fill whole blocks, the kernel
    loads it from there: with rows for outputs (queries times keys) if the hardware's blocks have one
    size, with rows for inputs (times values) if it has the extension `transpose`. A copy of the kernel's
    reference takes it that way. The results do not change, and the host moves nothing.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::vta::compiler::VtaDialect"];
}

def ChooseSchedulesPass : Vta_HwPass<"vta-choose-schedules", [
    Option<"schedules_file", "schedules", "std::string", "",
           "Schedules of some layers (YAML file, docs/kernels.md)">]> {
  let summary = "Give every kernel a schedule";
  let description = [{
    Sets the attributes `schedule` and `schedule_origin` of every `vta.kernel`. The schedule is, in this
    order: the one that the file has for the kernel's layer, the one that the kernel has already, or the
    best one that the analytic model finds. The compiler can measure candidates on a simulator in
    addition. Equal kernels are searched once. A schedule of the file that does not fit its kernel, or
    that no layer takes, is an error.
  }];
  let dependentDialects = ["::vta::compiler::VtaDialect"];
}

def ChooseChainsPass : Vta_HwPass<"vta-choose-chains", [
    Option<"by_floors", "by-floors", "bool", "false",
           "Decide by lower bounds of cycles: for tests, which have no simulator">]> {
  let summary = "Run pairs of kernels as chains where that is faster";
  let description = [{
    For hardware with extension `handover`. Two kernels become a `vta.chain` if nothing else reads what
    the first one makes for the second, and if the fastest chain that is found takes fewer cycles than
    the two kernels one after the other. Of pairs that share a kernel, those are taken that win most
    together. The compiler measures cycles on a simulator; without one there are no chains. Kernels with
    a schedule that the user has given stay as they are. The reference of a chain is that of the first
    kernel followed by that of the second. Results do not change.
  }];
  let dependentDialects = ["::vta::compiler::VtaDialect", "::mlir::func::FuncDialect"];
}

def LowerKernelsPass : Vta_HwPass<"vta-lower-kernels", [
    Option<"verify", "verify", "bool", "false", "Check every program for races and deadlock">]> {
  let summary = "Lower every kernel to a program";
  let description = [{
    Sets the attribute `program` of every `vta.kernel` and `vta.chain` to the program that its description and schedule
    give, in binary form. `vta-translate --vta-to-program` prints it. Kernels in a row start from
    opposite ends of the scratchpads, so that a kernel can load while the one in front ends. A chain begins
    at one end and ends at the other. Programs of schedules that the user gives are always verified.
  }];
  let dependentDialects = ["::vta::compiler::VtaDialect"];
}

#endif  // VTA_COMPILER_VTA_PASSES
