// The round-robin arbiter of the read address channel.
//
// A burst is granted in a cycle in which the channel's register is free, at most one a cycle. It is on the channel from
// the next cycle on, stable until it is accepted (docs/timing.md, "Read arbiter").
module vta_read_arbiter (
  // Clock; synchronous reset; clear_i forgets who was granted last; a burst on the channel stays. quiet_i: grant nothing.
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            clear_i,
  input  logic            quiet_i,

  // The bursts offered, and which is granted: bit 0 fetch, 1 load, 2 compute. An offer may be withdrawn.
  input  vta_pkg::burst_t fetch_i,
  input  vta_pkg::burst_t load_i,
  input  vta_pkg::burst_t compute_i,
  output logic [2:0]      grant_o,

  // AR channel.
  output vta_pkg::axi_addr_t ar_o,
  input  logic               arready_i
);

  logic valid_q;
  vta_pkg::axi_id_e last_q;
  vta_pkg::axi_id_e id_q;
  logic [vta_pkg::AxiAddrWidth-1:0] addr_q;
  // verilator lint_off UNUSEDSIGNAL
  logic [vta_pkg::BurstLenWidth-1:0] beats_q;  // of 256, the length on the bus has the low bits
  // verilator lint_on UNUSEDSIGNAL

  logic free;
  logic any;
  logic [2:0] req;
  vta_pkg::axi_id_e pick;

  assign free = !valid_q || arready_i;
  assign req = {compute_i.valid, load_i.valid, fetch_i.valid};

  always_comb begin
    unique case (last_q)
      vta_pkg::AxiIdFetch:
      pick = req[1] ? vta_pkg::AxiIdLoad : req[2] ? vta_pkg::AxiIdCompute : vta_pkg::AxiIdFetch;
      vta_pkg::AxiIdLoad:
      pick = req[2] ? vta_pkg::AxiIdCompute : req[0] ? vta_pkg::AxiIdFetch : vta_pkg::AxiIdLoad;
      default: pick = req[0] ? vta_pkg::AxiIdFetch : req[1] ? vta_pkg::AxiIdLoad : vta_pkg::AxiIdCompute;
    endcase
  end

  assign any = req != '0 && !quiet_i;
  assign grant_o = (free && any) ? 3'b001 << pick : 3'b000;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else if (free) begin
      valid_q <= any;
    end
    if (!rst_ni || clear_i) begin
      last_q <= vta_pkg::AxiIdCompute;
    end else if (free && any) begin
      last_q <= pick;
    end
    if (free && any) begin
      id_q <= pick;
      unique case (pick)
        vta_pkg::AxiIdFetch: begin
          addr_q <= fetch_i.addr;
          beats_q <= fetch_i.beats;
        end
        vta_pkg::AxiIdLoad: begin
          addr_q <= load_i.addr;
          beats_q <= load_i.beats;
        end
        default: begin
          addr_q <= compute_i.addr;
          beats_q <= compute_i.beats;
        end
      endcase
    end
  end

  assign ar_o.valid = valid_q;
  assign ar_o.id = id_q;
  assign ar_o.addr = addr_q;
  assign ar_o.len = 8'(beats_q) - 8'd1;

  // The channel in the cycle before, for the promise that an offered burst is stable.
  logic waiting_q;
  vta_pkg::axi_addr_t past_q;

  always_ff @(posedge clk_i) begin
    waiting_q <= rst_ni && ar_o.valid && !arready_i;
    past_q <= ar_o;
    if (rst_ni) begin
      one_grant : assert ((grant_o & (grant_o - 3'd1)) == 3'd0);
      grant_only_requests : assert ((grant_o & ~req) == 3'd0);
      quiet_grants_nothing : assert (!quiet_i || grant_o == 3'd0);
      stable_until_ready : assert (!waiting_q || ar_o == past_q);
    end
  end

endmodule
