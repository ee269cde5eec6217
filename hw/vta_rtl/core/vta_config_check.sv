// Stops elaboration with a message when a parameter is outside what the RTL is built for. Holds no logic.
// Generated from isa/spec/parameters.cpp and isa/config/config_rules.cpp by vta-info --rtl-config-check: do not edit.
module vta_config_check;

  function automatic bit is_power_of_2(int unsigned value);
    is_power_of_2 = value != 0 && (value & (value - 1)) == 0;
  endfunction

  if (vta_pkg::Batch < 1 || vta_pkg::Batch > 64 || !is_power_of_2(vta_pkg::Batch))
  begin : gen_gemm_batch
    $error("gemm.batch: powers of two from 1 to 64");
  end
  if (vta_pkg::BlockIn < 1 || vta_pkg::BlockIn > 256 || !is_power_of_2(vta_pkg::BlockIn))
  begin : gen_gemm_block_in
    $error("gemm.block_in: powers of two from 1 to 256");
  end
  if (vta_pkg::BlockOut < 1 || vta_pkg::BlockOut > 256 || !is_power_of_2(vta_pkg::BlockOut))
  begin : gen_gemm_block_out
    $error("gemm.block_out: powers of two from 1 to 256");
  end
  if (vta_pkg::InpWidth != 8)
  begin : gen_operands_inp_width_bits
    $error("operands.inp_width_bits: 8");
  end
  if (vta_pkg::WgtWidth < 2 || vta_pkg::WgtWidth > 8 || !is_power_of_2(vta_pkg::WgtWidth))
  begin : gen_operands_wgt_width_bits
    $error("operands.wgt_width_bits: powers of two from 2 to 8");
  end
  if (vta_pkg::AccWidth < 24 || vta_pkg::AccWidth > 32)
  begin : gen_operands_acc_width_bits
    $error("operands.acc_width_bits: 24 to 32");
  end
  if (vta_pkg::OutWidth != 8)
  begin : gen_operands_out_width_bits
    $error("operands.out_width_bits: 8");
  end
  if (vta_pkg::UopDepth < 2 || vta_pkg::UopDepth > 65536)
  begin : gen_buffers_uop_buf_bytes
    $error("buffers.uop_buf_bytes: 2 to 65536 elements");
  end
  if (vta_pkg::InpDepth < 2 || vta_pkg::InpDepth > 65536)
  begin : gen_buffers_inp_buf_bytes
    $error("buffers.inp_buf_bytes: 2 to 65536 elements");
  end
  if (vta_pkg::WgtDepth < 2 || vta_pkg::WgtDepth > 65536)
  begin : gen_buffers_wgt_buf_bytes
    $error("buffers.wgt_buf_bytes: 2 to 65536 elements");
  end
  if (vta_pkg::AccDepth < 2 || vta_pkg::AccDepth > 65536)
  begin : gen_buffers_acc_buf_bytes
    $error("buffers.acc_buf_bytes: 2 to 65536 elements");
  end
  if (vta_pkg::QmulMultiplierBits < 2 || vta_pkg::QmulMultiplierBits > 32)
  begin : gen_isa_qmul_multiplier_bits
    $error("isa.qmul_multiplier_bits: 2 to 32");
  end
  if (vta_pkg::DepthwiseTaps < 2 || vta_pkg::DepthwiseTaps > 8)
  begin : gen_isa_depthwise_taps
    $error("isa.depthwise_taps: 2 to 8");
  end
  if (vta_pkg::CommandDepth < 1 || vta_pkg::CommandDepth > 65536)
  begin : gen_queues_command_depth
    $error("queues.command_depth: 1 to 65536");
  end
  if (vta_pkg::TokenDepth < 1 || vta_pkg::TokenDepth > 65536)
  begin : gen_queues_token_depth
    $error("queues.token_depth: 1 to 65536");
  end
  if (vta_pkg::AxiDataWidth < 32 || vta_pkg::AxiDataWidth > 1024 || !is_power_of_2(vta_pkg::AxiDataWidth))
  begin : gen_axi_data_width_bits
    $error("axi.data_width_bits: powers of two from 32 to 1024");
  end
  if (vta_pkg::AxiAddrWidth < 32 || vta_pkg::AxiAddrWidth > 64)
  begin : gen_axi_addr_width_bits
    $error("axi.addr_width_bits: 32 to 64");
  end
  if (vta_pkg::OutstandingBursts < 1 || vta_pkg::OutstandingBursts > 256)
  begin : gen_axi_outstanding_bursts
    $error("axi.outstanding_bursts: 1 to 256");
  end
  if (vta_pkg::MaxBurstBeats < 1 || vta_pkg::MaxBurstBeats > 256)
  begin : gen_axi_max_burst_beats
    $error("axi.max_burst_beats: 1 to 256");
  end
  if (vta_pkg::AxiPorts < 1 || vta_pkg::AxiPorts > 4 || !is_power_of_2(vta_pkg::AxiPorts))
  begin : gen_axi_ports
    $error("axi.ports: powers of two from 1 to 4");
  end
  if (vta_pkg::AluPasses < 1 || vta_pkg::AluPasses > 8 || !is_power_of_2(vta_pkg::AluPasses))
  begin : gen_compute_alu_passes
    $error("compute.alu_passes: powers of two from 1 to 8");
  end
  if (vta_pkg::AccBanks < 2 || vta_pkg::AccBanks > 8 || !is_power_of_2(vta_pkg::AccBanks))
  begin : gen_compute_acc_banks
    $error("compute.acc_banks: powers of two from 2 to 8");
  end
  if (1 * vta_pkg::AluPasses > vta_pkg::BlockOut)
  begin : gen_compute_alu_passes_gemm_block_out
    $error("compute.alu_passes, gemm.block_out: the ALU has a lane at least for each pass over a row of an element");
  end
  if (2 * vta_pkg::UopLanes > vta_pkg::UopDepth)
  begin : gen_buffers_uop_buf_bytes_axi_data_width_bits
    $error("buffers.uop_buf_bytes, axi.data_width_bits: a scratchpad has to hold two beats of the bus");
  end
  if (vta_pkg::UopDepth % vta_pkg::UopLanes != 0)
  begin : gen_buffers_uop_buf_bytes_axi_data_width_bits_whole
    $error("buffers.uop_buf_bytes, axi.data_width_bits: a scratchpad has to hold a whole number of beats");
  end
  if (2 * vta_pkg::InpLanes > vta_pkg::InpDepth)
  begin : gen_buffers_inp_buf_bytes_axi_data_width_bits
    $error("buffers.inp_buf_bytes, axi.data_width_bits: a scratchpad has to hold two beats of the bus");
  end
  if (vta_pkg::InpDepth % vta_pkg::InpLanes != 0)
  begin : gen_buffers_inp_buf_bytes_axi_data_width_bits_whole
    $error("buffers.inp_buf_bytes, axi.data_width_bits: a scratchpad has to hold a whole number of beats");
  end
  if (2 * vta_pkg::WgtLanes > vta_pkg::WgtDepth)
  begin : gen_buffers_wgt_buf_bytes_axi_data_width_bits
    $error("buffers.wgt_buf_bytes, axi.data_width_bits: a scratchpad has to hold two beats of the bus");
  end
  if (vta_pkg::WgtDepth % vta_pkg::WgtLanes != 0)
  begin : gen_buffers_wgt_buf_bytes_axi_data_width_bits_whole
    $error("buffers.wgt_buf_bytes, axi.data_width_bits: a scratchpad has to hold a whole number of beats");
  end
  if (vta_pkg::AccDepth % vta_pkg::AccFilledBanks != 0)
  begin : gen_buffers_acc_buf_bytes_compute_acc_banks_whole
    $error("buffers.acc_buf_bytes, compute.acc_banks: all banks of ACC are equally deep");
  end
  if (1 * vta_pkg::InpWidth > vta_pkg::WgtElemBits)
  begin : gen_operands_wgt_width_bits_gemm_block_out
    $error("operands.wgt_width_bits, gemm.block_out: an element of WGT has a byte at least");
  end
  if (1 * vta_pkg::DepthwiseProducts > vta_pkg::BlockIn)
  begin : gen_isa_depthwise_taps_gemm_block_in
    $error("isa.depthwise_taps, gemm.block_in: with extension depthwise an output needs two multipliers for each tap");
  end
  if (2 * vta_pkg::InpBanks > vta_pkg::InpDepth)
  begin : gen_buffers_inp_buf_bytes_isa_depthwise_taps
    $error("buffers.inp_buf_bytes, isa.depthwise_taps: with extension depthwise a scratchpad has a RAM of two elements for each tap");
  end
  if (vta_pkg::InpDepth % vta_pkg::InpBanks != 0)
  begin : gen_buffers_inp_buf_bytes_isa_depthwise_taps_whole
    $error("buffers.inp_buf_bytes, isa.depthwise_taps: with extension depthwise the RAMs for the taps are equally deep");
  end
  if (1 * vta_pkg::TransposeWidth > vta_pkg::WgtWidth)
  begin : gen_operands_wgt_width_bits_isa_extensions
    $error("operands.wgt_width_bits, isa.extensions: with extension transpose a weight is a byte");
  end
  if (vta_pkg::ExtHandover && vta_pkg::BlockOut % vta_pkg::BlockIn != 0)
  begin : gen_gemm_block_in_gemm_block_out_whole
    $error("gemm.block_in, gemm.block_out: with extension handover an element of OUT is one or more of INP");
  end
  if (vta_pkg::ExtQmul && 1 * vta_pkg::QmulMultiplierBits > vta_pkg::AccWidth)
  begin : gen_isa_qmul_multiplier_bits_operands_acc_width_bits
    $error("isa.qmul_multiplier_bits, operands.acc_width_bits: QMUL's multiplier is in an accumulator");
  end
  if (vta_pkg::ExtRequant && 1 * vta_pkg::QmulMultiplierBits > vta_pkg::RequantShiftLsb)
  begin : gen_isa_qmul_multiplier_bits_isa_extensions
    $error("isa.qmul_multiplier_bits, isa.extensions: with extension requant the shift stands above the multiplier");
  end
  if (1 * vta_pkg::TableWidth > vta_pkg::AccWidth)
  begin : gen_operands_acc_width_bits_isa_extensions
    $error("operands.acc_width_bits, isa.extensions: with extension lut an accumulator holds four entries of the table");
  end
  if (vta_pkg::ExtPrelu && !vta_pkg::ExtQmul)
  begin : gen_prelu_without_qmul
    $error("isa.extensions: prelu needs qmul, whose multiplier it uses");
  end
  if (vta_pkg::ExtRequant && !vta_pkg::ExtQmul)
  begin : gen_requant_without_qmul
    $error("isa.extensions: requant needs qmul, whose work it does together with others");
  end
  if (vta_pkg::ExtRequant && !vta_pkg::ExtClip)
  begin : gen_requant_without_clip
    $error("isa.extensions: requant needs clip, whose work it does together with others");
  end

endmodule
