// Stops elaboration when the parameters of vta_top are not those of the configuration's package. Holds no logic.
module vta_top_check #(
  parameter int AddrWidth = 32,
  parameter int DataWidth = 64,
  parameter int Coherent = 0,
  parameter int ApCtrlChain = 0
) ();

  if (AddrWidth != int'(vta_pkg::AxiAddrWidth))
  begin : gen_addr_width
    $error("C_M_AXI_GMEM_ADDR_WIDTH is not axi.addr_width_bits of the configuration; hw/boards/build sets both");
  end
  if (DataWidth != int'(vta_pkg::AxiDataWidth))
  begin : gen_data_width
    $error("C_M_AXI_GMEM_DATA_WIDTH is not axi.data_width_bits of the configuration; hw/boards/build sets both");
  end
  if (Coherent != 0 && Coherent != 1)
  begin : gen_coherent
    $error("C_M_AXI_GMEM_COHERENT is 0 or 1");
  end
  if (ApCtrlChain != 0 && ApCtrlChain != 1)
  begin : gen_ap_ctrl_chain
    $error("C_AP_CTRL_CHAIN is 0 or 1");
  end

endmodule
