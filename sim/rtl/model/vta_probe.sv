// Reads the words of a RAM from outside the design, for simulators that compare scratchpads with a model: bound to
// every instance of the RAM. Words are 32 bits, the lowest first.
module vta_probe #(
  parameter int unsigned Width = 8
);

  localparam int unsigned Words = (Width + 31) / 32;

  export "DPI-C" function vta_ram_word;

  function automatic int vta_ram_word(input int row, input int word);
    bit [Words*32-1:0] value;
    value = (Words * 32)'(vta_ram_1r1w.mem_q[row]);
    return value[word*32+:32];
  endfunction

endmodule

bind vta_ram_1r1w vta_probe #(.Width(Width)) u_probe ();
