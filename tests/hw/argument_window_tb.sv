// Every address of the register map through vta_argument_window.
module argument_window_tb;

  logic [11:0] addr;
  logic [11:0] found;
  logic [11:0] expected;

  vta_argument_window u_window (.addr_i(addr), .addr_o(found));

  // What the registers of docs/isa.md are, one by one.
  function automatic logic [11:0] behind(input logic [11:0] word);
    case (word)
      12'h0c0: behind = vta_pkg::RegInsnAddr;
      12'h0c4: behind = vta_pkg::RegInsnAddrHi;
      12'h0c8: behind = vta_pkg::RegUopBase;
      12'h0cc: behind = vta_pkg::RegUopBaseHi;
      12'h0d0: behind = vta_pkg::RegInpBase;
      12'h0d4: behind = vta_pkg::RegInpBaseHi;
      12'h0d8: behind = vta_pkg::RegWgtBase;
      12'h0dc: behind = vta_pkg::RegWgtBaseHi;
      12'h0e0: behind = vta_pkg::RegAccBase;
      12'h0e4: behind = vta_pkg::RegAccBaseHi;
      12'h0e8: behind = vta_pkg::RegOutBase;
      12'h0ec: behind = vta_pkg::RegOutBaseHi;
      default: behind = word;
    endcase
  endfunction

  initial begin
    for (int unsigned i = 0; i < 4096; i++) begin
      addr = 12'(i);
      #1;
      expected = behind({addr[11:2], 2'd0}) | {10'd0, addr[1:0]};
      if (found != expected) $fatal(1, "address %h goes to %h, not to %h", addr, found, expected);
    end
    $display("4096 addresses");
    $finish;
  end

endmodule
