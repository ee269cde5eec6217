#include "tools/vta_translate/program_translation.h"

#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/kernel/lower.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "compiler/vta/lower/kernel_program.h"
#include "isa/program/text/assembler.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"

namespace vta::compiler {

namespace {

Result<HwConfig> configuration(const std::string& file) {
  if (file.empty()) return HwConfig::makeDefault();
  return loadHwConfig(file);
}

/// The program that the kernel or chain has, else that of its schedule or of the default one.
Result<Program> makeProgram(const OffloadedOp& offloaded, const HwConfig& hw) {
  if (offloaded.program) return programOf(offloaded, hw);
  if (auto chain = mlir::dyn_cast<ChainOp>(offloaded.op)) {
    return kernel::lowerChain(namedChain(chain), chainSchedule(chain), hw);
  }
  auto op = mlir::cast<KernelOp>(offloaded.op);
  const kernel::KernelDesc& desc = op.getDesc().getValue();
  if (op.getSchedule()) return kernel::lower(desc, op.getSchedule()->getValue(), hw);
  VTA_ASSIGN_OR_RETURN(const kernel::Schedule schedule, kernel::defaultSchedule(desc, hw));
  return kernel::lower(desc, schedule, hw);
}

mlir::LogicalResult printPrograms(mlir::Operation* root, llvm::raw_ostream& out,
                                  const std::string& hw_file) {
  auto hw = configuration(hw_file);
  if (!hw.ok()) return root->emitError(hw.status().message());
  auto result = root->walk([&](mlir::Operation* op) {
    const std::optional<OffloadedOp> offloaded = asOffloaded(op);
    if (!offloaded) return mlir::WalkResult::advance();
    auto program = makeProgram(*offloaded, *hw);
    if (!program.ok()) {
      op->emitError(program.status().message());
      return mlir::WalkResult::interrupt();
    }
    out << disassembleProgram(*program, *hw);
    return mlir::WalkResult::advance();
  });
  return mlir::failure(result.wasInterrupted());
}

/// Emits one op per instruction.
class InstructionBuilder {
 public:
  InstructionBuilder(mlir::OpBuilder& builder, const Program& program)
      : builder_(builder), program_(program) {}

  void build() {
    for (uint32_t i = 0; i < program_.instructions.size(); ++i) {
      const Instruction& insn = program_.instructions[i];
      const mlir::Location loc = location(i);
      if (insn.opcode == Opcode::kLoad) {
        memory<LoadOp>(loc, i, insn);
      } else if (insn.opcode == Opcode::kStore) {
        memory<StoreOp>(loc, i, insn);
      } else if (insn.opcode == Opcode::kGemm) {
        gemm(loc, insn);
      } else if (insn.opcode == Opcode::kAlu) {
        alu(loc, insn);
      } else {
        builder_.create<FinishOp>(loc, tokens(insn.tokens));
      }
    }
  }

 private:
  mlir::Location location(uint32_t instruction) {
    const std::string_view symbol = program_.symbolAt(instruction);
    return mlir::NameLoc::get(builder_.getStringAttr(llvm::StringRef(symbol)));
  }

  mlir::ArrayAttr tokens(const Tokens& tokens) {
    llvm::SmallVector<llvm::StringRef> names;
    if (tokens.pop_prev) names.push_back("pop_prev");
    if (tokens.pop_next) names.push_back("pop_next");
    if (tokens.push_prev) names.push_back("push_prev");
    if (tokens.push_next) names.push_back("push_next");
    return names.empty() ? mlir::ArrayAttr() : builder_.getStrArrayAttr(names);
  }

  mlir::StringAttr bufferOf(uint32_t instruction) {
    for (const Relocation& relocation : program_.relocations) {
      if (relocation.instruction == instruction) {
        return builder_.getStringAttr(program_.buffers[relocation.buffer].name);
      }
    }
    return {};
  }

  mlir::DenseI64ArrayAttr pair(uint32_t a, uint32_t b) {
    return builder_.getDenseI64ArrayAttr({a, b});
  }

  template <typename Op>
  void memory(mlir::Location loc, uint32_t index, const Instruction& insn) {
    const MemInsn& mem = insn.mem();
    mlir::DenseI64ArrayAttr pads;
    if (mem.y_pad_0 + mem.y_pad_1 + mem.x_pad_0 + mem.x_pad_1 > 0) {
      pads = builder_.getDenseI64ArrayAttr({mem.y_pad_0, mem.y_pad_1, mem.x_pad_0, mem.x_pad_1});
    }
    builder_.create<Op>(
        loc, builder_.getStringAttr(memoryTypeName(mem.memory_type)), bufferOf(index),
        builder_.getI64IntegerAttr(mem.sram_base), builder_.getI64IntegerAttr(mem.dram_base),
        builder_.getI64IntegerAttr(mem.y_size), builder_.getI64IntegerAttr(mem.x_size),
        builder_.getI64IntegerAttr(mem.x_stride), pads, unit(mem.pad_kind == PadKind::kMin),
        tokens(insn.tokens));
  }

  void gemm(mlir::Location loc, const Instruction& insn) {
    const GemmInsn& g = insn.gemm();
    builder_.create<GemmOp>(loc, pair(g.uop_bgn, g.uop_end), pair(g.iter_out, g.iter_in),
                            pair(g.dst_factor_out, g.dst_factor_in),
                            pair(g.src_factor_out, g.src_factor_in),
                            pair(g.wgt_factor_out, g.wgt_factor_in),
                            g.depthwise ? builder_.getI64IntegerAttr(g.taps) : mlir::IntegerAttr(),
                            unit(g.reset), tokens(insn.tokens));
  }

  void alu(mlir::Location loc, const Instruction& insn) {
    const AluInsn& a = insn.alu();
    builder_.create<AluOp>(
        loc, builder_.getStringAttr(aluOpcodeName(a.alu_opcode)), pair(a.uop_bgn, a.uop_end),
        pair(a.iter_out, a.iter_in), pair(a.dst_factor_out, a.dst_factor_in),
        pair(a.src_factor_out, a.src_factor_in), builder_.getI64IntegerAttr(a.imm), unit(a.use_imm),
        unit(a.reset), tokens(insn.tokens));
  }

  mlir::UnitAttr unit(bool set) { return set ? builder_.getUnitAttr() : mlir::UnitAttr(); }

  mlir::OpBuilder& builder_;
  const Program& program_;
};

mlir::OwningOpRef<mlir::ModuleOp> readProgram(llvm::SourceMgr& sources, mlir::MLIRContext* context,
                                              const std::string& hw_file) {
  const mlir::Location unknown = mlir::UnknownLoc::get(context);
  const llvm::MemoryBuffer* buffer = sources.getMemoryBuffer(sources.getMainFileID());
  auto hw = configuration(hw_file);
  if (!hw.ok()) {
    mlir::emitError(unknown) << hw.status().message();
    return {};
  }
  auto program = assemble(std::string_view(buffer->getBuffer()),
                          std::string_view(buffer->getBufferIdentifier()), *hw);
  if (!program.ok()) {
    mlir::emitError(unknown) << program.status().message();
    return {};
  }
  context->loadDialect<VtaDialect>();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(unknown);
  auto builder = mlir::OpBuilder::atBlockEnd(module->getBody());
  llvm::SmallVector<int64_t> uops;
  for (const Uop& uop : program->uops) uops.append({uop.dst_idx, uop.src_idx, uop.wgt_idx});
  (*module)->setAttr("vta.uops", builder.getDenseI64ArrayAttr(uops));
  InstructionBuilder(builder, *program).build();
  return module;
}

}  // namespace

void registerProgramTranslations() {
  static llvm::cl::opt<std::string> hw_file(
      "hw", llvm::cl::desc("Hardware configuration (YAML file)"), llvm::cl::value_desc("FILE"));
  static mlir::TranslateFromMLIRRegistration to_program(
      "vta-to-program", "kernels of a module to assembler text, one program each",
      [](mlir::Operation* op, llvm::raw_ostream& out) {
        return printPrograms(op, out, hw_file.getValue());
      },
      [](mlir::DialectRegistry& registry) {
        registry.insert<graph::GraphDialect, VtaDialect, mlir::arith::ArithDialect,
                        mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                        mlir::tensor::TensorDialect>();
      });
  static mlir::TranslateToMLIRRegistration from_program(
      "program-to-vta", "assembler text to instructions as ops",
      [](llvm::SourceMgr& sources, mlir::MLIRContext* context) {
        return readProgram(sources, context, hw_file.getValue());
      },
      [](mlir::DialectRegistry& registry) { registry.insert<VtaDialect>(); });
}

}  // namespace vta::compiler
