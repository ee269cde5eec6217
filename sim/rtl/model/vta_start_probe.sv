// When instructions are dispatched and started, watched from outside the design. Part of models with a probe only:
// it is bound to the units, which know nothing of it.
module vta_start_probe (
  input logic                            valid_i,  // in this cycle
  input logic [vta_pkg::NumberWidth-1:0] number_i
);
  // Read through Verilator's public signals.
  logic        valid;
  logic [31:0] number;
  assign valid = valid_i;
  assign number = 32'(number_i);
endmodule

bind vta_fetch vta_start_probe u_dispatched (.valid_i(dispatch), .number_i(number_q));
bind vta_load vta_start_probe u_load_started (.valid_i(start != '0), .number_i(cmd_i.number));
// The compute unit hands a load to its DMA before the DMA finds that it leaves its scratchpad.
bind vta_compute_unit vta_start_probe u_compute_started (
  .valid_i(u_compute.u_issue.issue &&
           !(dma_fault_o.valid && dma_fault_o.number == u_compute.u_issue.head_q.number)),
  .number_i(u_compute.u_issue.head_q.number)
);
bind vta_store vta_start_probe u_store_started (.valid_i(start), .number_i(cmd.number));
