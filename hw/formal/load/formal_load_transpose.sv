// The way of elements into WGT: each weight comes to its place, transposed or not, and padding is what it has to be.
module formal_load_transpose (
  input logic                                              clk_i,
  input logic                                              we_i,
  input logic                                              pad_i,
  input logic                                              pad_min_i,
  input logic                                              transposes_i,
  input logic [vta_pkg::WgtLogDepth-1:0]                   addr_i,
  input logic [vta_pkg::LaneCountWidth-1:0]                count_i,
  input logic [vta_pkg::WgtLanes*vta_pkg::WgtElemBits-1:0] data_i
);
  localparam int unsigned Outputs = vta_pkg::BlockOut;
  localparam int unsigned Inputs = vta_pkg::BlockIn;
  localparam int unsigned Width = vta_pkg::WgtWidth;
  localparam int unsigned Bits = vta_pkg::WgtLanes * vta_pkg::WgtElemBits;

  logic rst_n_q = 1'b0;
  logic we;
  logic [vta_pkg::WgtLogDepth-1:0] addr;
  logic [vta_pkg::LaneCountWidth-1:0] count;
  logic [Bits-1:0] turned, data;

  always_ff @(posedge clk_i) rst_n_q <= 1'b1;

  vta_load_transpose u_transpose (
    .transposes_i,
    .data_i,
    .data_o(turned)
  );
  vta_load_write #(
    .Width(Width),
    .ElemBits(vta_pkg::WgtElemBits),
    .Lanes(vta_pkg::WgtLanes),
    .LogDepth(vta_pkg::WgtLogDepth)
  ) u_write (
    .clk_i,
    .rst_ni(rst_n_q),
    .we_i,
    .pad_i,
    .pad_min_i,
    .addr_i,
    .count_i,
    .data_i(turned),
    .we_o(we),
    .addr_o(addr),
    .count_o(count),
    .data_o(data)
  );

  // One weight, chosen freely: of an element of the beat, an output and an input.
  (* anyconst *) logic [7:0] lane;
  (* anyconst *) logic [7:0] oc;
  (* anyconst *) logic [7:0] ic;

  // Of element `lane`, by its number there.
  function automatic logic [Width-1:0] weight(logic [Bits-1:0] elements, logic [31:0] number);
    weight = Width'(elements >> ((32'(lane) * Outputs * Inputs + number) * Width));
  endfunction

  logic written_q = 1'b0;
  logic turned_q = 1'b0;
  logic [Width-1:0] weight_q = '0;
  logic [vta_pkg::WgtLogDepth-1:0] addr_q = '0;
  logic [vta_pkg::LaneCountWidth-1:0] count_q = '0;

  always_ff @(posedge clk_i) begin
    written_q <= rst_n_q && we_i;
    turned_q <= transposes_i && !pad_i;
    addr_q <= addr_i;
    count_q <= count_i;
    if (pad_i) weight_q <= {pad_min_i, (Width - 1)'(0)};
    else weight_q <= weight(data_i, transposes_i ? 32'(ic) * Outputs + 32'(oc) : 32'(oc) * Inputs + 32'(ic));
  end

  always_comb begin
    assume (32'(lane) < vta_pkg::WgtLanes);
    assume (32'(oc) < Outputs);
    assume (32'(ic) < Inputs);
    if (rst_n_q) begin
      writes_a_cycle_later : assert (we == written_q);
      if (we) begin
        to_its_place : assert (addr == addr_q && count == count_q);
        weight_is_its_own : assert (weight(data, 32'(oc) * Inputs + 32'(ic)) == weight_q);
        a_turned_one : cover (turned_q && ic != 0 && oc != 0 && weight_q == '1);
        a_plain_one : cover (!turned_q && ic != 0 && oc != 0 && weight_q == '1);
      end
    end
  end
endmodule
