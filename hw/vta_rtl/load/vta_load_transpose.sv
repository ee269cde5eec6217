// The elements of WGT that one beat brings, each as it is or transposed: from [ic][oc] in DRAM to [oc][ic].
//
// Combinational: a multiplexer of two inputs for each bit that moves. Hardware without the extension `transpose` has
// none. With it weights are bytes (vta_config_check).
module vta_load_transpose (
  input  logic                                              transposes_i,
  // The first element in the low bits.
  input  logic [vta_pkg::WgtLanes*vta_pkg::WgtElemBits-1:0] data_i,
  output logic [vta_pkg::WgtLanes*vta_pkg::WgtElemBits-1:0] data_o
);

  if (vta_pkg::ExtTranspose) begin : gen_transpose
    localparam int unsigned Outputs = vta_pkg::BlockOut;
    localparam int unsigned Inputs = vta_pkg::BlockIn;
    localparam int unsigned Width = vta_pkg::WgtWidth;

    always_comb begin
      data_o = data_i;
      if (transposes_i) begin
        for (int unsigned lane = 0; lane < vta_pkg::WgtLanes; lane++) begin
          for (int unsigned oc = 0; oc < Outputs; oc++) begin
            for (int unsigned ic = 0; ic < Inputs; ic++) begin
              data_o[((lane*Outputs+oc)*Inputs+ic)*Width+:Width] = data_i[((lane*Inputs+ic)*Outputs+oc)*Width+:Width];
            end
          end
        end
      end
    end
  end else begin : gen_plain
    assign data_o = data_i;
    logic unused;
    assign unused = transposes_i;
  end

endmodule
