// Round-robin arbiter of the read address channel. A requester's burst is granted in a cycle in which the channel's
// register is free; it is on the channel from the next cycle on, stable until accepted.
module vta_read_arbiter (
  input logic clk_i,
  input logic rst_ni,
  input logic clear_i,  // forgets who was last; a burst on the channel stays

  // Requesters: 0 fetch, 1 load, 2 compute. A request may be withdrawn.
  input  logic [2:0]                          req_i,
  input  logic [3*vta_pkg::AxiAddrWidth-1:0]  addr_i,
  input  logic [3*vta_pkg::BurstLenWidth-1:0] beats_i,
  output logic [2:0]                          grant_o,

  output logic [vta_pkg::AxiIdWidth-1:0]   arid_o,
  output logic [vta_pkg::AxiAddrWidth-1:0] araddr_o,
  output logic [7:0]                       arlen_o,
  output logic                             arvalid_o,
  input  logic                             arready_i
);

  logic valid_q;
  logic [1:0] last_q;
  logic [1:0] id_q;
  logic [vta_pkg::AxiAddrWidth-1:0] addr_q;
  logic [vta_pkg::BurstLenWidth-1:0] beats_q;

  logic free;
  logic [1:0] pick;
  logic any;

  assign free = !valid_q || arready_i;

  always_comb begin
    unique case (last_q)
      2'd0: pick = req_i[1] ? 2'd1 : req_i[2] ? 2'd2 : 2'd0;
      2'd1: pick = req_i[2] ? 2'd2 : req_i[0] ? 2'd0 : 2'd1;
      default: pick = req_i[0] ? 2'd0 : req_i[1] ? 2'd1 : 2'd2;
    endcase
  end

  assign any = req_i != '0;
  assign grant_o = (free && any) ? 3'b001 << pick : 3'b000;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else if (free) begin
      valid_q <= any;
    end
    if (!rst_ni || clear_i) begin
      last_q <= 2'd2;
    end else if (free && any) begin
      last_q <= pick;
    end
    if (free && any) begin
      id_q <= pick;
      addr_q <= addr_i[32'(pick)*vta_pkg::AxiAddrWidth+:vta_pkg::AxiAddrWidth];
      beats_q <= beats_i[32'(pick)*vta_pkg::BurstLenWidth+:vta_pkg::BurstLenWidth];
    end
  end

  assign arvalid_o = valid_q;
  assign arid_o = id_q;
  assign araddr_o = addr_q;
  assign arlen_o = 8'(beats_q) - 8'd1;

  // The values of the cycle before, for the promise that an offered burst is stable.
  logic waiting_q;
  logic [vta_pkg::AxiAddrWidth-1:0] past_addr_q;
  logic [7:0] past_len_q;
  logic [1:0] past_id_q;

  always_ff @(posedge clk_i) begin
    waiting_q <= rst_ni && arvalid_o && !arready_i;
    past_addr_q <= araddr_o;
    past_len_q <= arlen_o;
    past_id_q <= arid_o;
    if (rst_ni) begin
      one_grant : assert ((grant_o & (grant_o - 3'd1)) == 3'd0);
      grant_only_requests : assert ((grant_o & ~req_i) == 3'd0);
      stable_until_ready :
      assert (!waiting_q || (arvalid_o && araddr_o == past_addr_q && arlen_o == past_len_q &&
                             arid_o == past_id_q));
    end
  end

endmodule
