// Stops elaboration with a message when a parameter is outside what the RTL is built for. Holds no logic.
module vta_config_check;

  function automatic bit is_power_of_2(int unsigned value);
    is_power_of_2 = value != 0 && (value & (value - 1)) == 0;
  endfunction

  if (vta_pkg::InpWidth != 8 || vta_pkg::WgtWidth != 8 || vta_pkg::OutWidth != 8 || vta_pkg::AccWidth != 32)
  begin : gen_widths
    $error("operand widths: the RTL computes with inp, wgt and out of 8 bits and acc of 32");
  end
  if (!is_power_of_2(vta_pkg::Batch) || !is_power_of_2(vta_pkg::BlockIn) || !is_power_of_2(vta_pkg::BlockOut))
  begin : gen_blocks
    $error("batch, block_in and block_out have to be powers of two");
  end
  if (!is_power_of_2(vta_pkg::AxiDataWidth) || vta_pkg::AxiDataWidth < 32 || vta_pkg::AxiDataWidth > 1024)
  begin : gen_data_width
    $error("axi data width: powers of two from 32 to 1024 bits");
  end
  if (vta_pkg::AxiAddrWidth < 32 || vta_pkg::AxiAddrWidth > 64) begin : gen_addr_width
    $error("axi address width: 32 to 64 bits");
  end
  if (vta_pkg::OutstandingBursts < 1 || vta_pkg::OutstandingBursts > 256) begin : gen_bursts
    $error("outstanding bursts: 1 to 256");
  end
  if (vta_pkg::CommandDepth < 1 || vta_pkg::CommandDepth > 65536) begin : gen_command_depth
    $error("command queue depth: 1 to 65536");
  end
  if (vta_pkg::TokenDepth < 1 || vta_pkg::TokenDepth > 65536) begin : gen_token_depth
    $error("token queue depth: 1 to 65536");
  end
  if (vta_pkg::UopLogDepth < 1 || vta_pkg::InpLogDepth < 1 || vta_pkg::WgtLogDepth < 1 || vta_pkg::AccLogDepth < 2 ||
      vta_pkg::UopLogDepth > 16 || vta_pkg::InpLogDepth > 16 || vta_pkg::WgtLogDepth > 16 || vta_pkg::AccLogDepth > 16)
  begin : gen_depths
    $error("scratchpads: 2 (ACC: 4) to 65536 elements");
  end
  if (2 * vta_pkg::UopLanes > vta_pkg::UopDepth || 2 * vta_pkg::InpLanes > vta_pkg::InpDepth ||
      2 * vta_pkg::WgtLanes > vta_pkg::WgtDepth)
  begin : gen_lanes
    $error("scratchpads: each has to hold two beats of the bus at least");
  end
  if (vta_pkg::QmulMultiplierBits < 2 || vta_pkg::QmulMultiplierBits > 32) begin : gen_qmul
    $error("qmul multiplier: 2 to 32 bits");
  end

endmodule
