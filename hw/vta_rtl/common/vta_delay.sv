// A pipeline of registers without anything between them.
module vta_delay #(
  // Bits of the data; cycles, 0 for wires.
  parameter int unsigned Width = 8,
  parameter int unsigned Cycles = 1,
  // The first register takes the data in every cycle, so that valid_i reaches little.
  parameter bit          Eager = 1'b0
) (
  // Clock; synchronous reset; clear_i forgets what is on its way.
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,
  input  logic             valid_i,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  output logic [Width-1:0] data_o
);
  if (Cycles == 0) begin : gen_wires
    logic unused;
    assign unused = &{1'b0, clk_i, rst_ni, clear_i};
    assign valid_o = valid_i;
    assign data_o = data_i;
  end else begin : gen_registers
    logic [Cycles-1:0] valid_q;
    logic [Width-1:0]  data_q [Cycles] /*verilator split_var*/;

    for (genvar i = 0; i < Cycles; i++) begin : gen_cycle
      if (i == 0) begin : gen_first
        always_ff @(posedge clk_i) begin
          if (!rst_ni || clear_i) valid_q[0] <= 1'b0;
          else valid_q[0] <= valid_i;
          if (Eager || valid_i) data_q[0] <= data_i;
        end
      end else begin : gen_next
        always_ff @(posedge clk_i) begin
          if (!rst_ni || clear_i) valid_q[i] <= 1'b0;
          else valid_q[i] <= valid_q[i-1];
          if (valid_q[i-1]) data_q[i] <= data_q[i-1];
        end
      end
    end
    assign valid_o = valid_q[Cycles-1];
    assign data_o = data_q[Cycles-1];
  end
endmodule
