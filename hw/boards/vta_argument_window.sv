// The addresses of a launch a second time, each as one argument of 64 bits: Vitis packages kernels whose pointers are
// 8 bytes in a row, while the register map (docs/isa.md) has low and high words apart. An access to the window at 0xC0
// goes to the register behind it; any other address stays as it is. Combinational.
//
//   0xC0 insn   0xC8 uop   0xD0 inp   0xD8 wgt   0xE0 acc   0xE8 out      low word first
module vta_argument_window (
  input  logic [11:0] addr_i,
  output logic [11:0] addr_o
);

  localparam logic [11:0] First = 12'h0c0;
  localparam logic [11:0] End = 12'h0f0;

  // The number of the argument times 4: both groups of registers have a word for each, in the same order. First is a
  // multiple of 64, so that the number stands in the address itself.
  logic [11:0] word;
  assign word = {7'd0, addr_i[5:3], 2'd0};

  always_comb begin
    addr_o = addr_i;
    if (addr_i >= First && addr_i < End) begin
      addr_o = (addr_i[2] ? vta_pkg::RegInsnAddrHi : vta_pkg::RegInsnAddr) + word;
      addr_o[1:0] = addr_i[1:0];
    end
  end

endmodule
