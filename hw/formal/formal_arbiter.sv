// The read arbiter: exclusive, fair within N - 1 grants, alive, and nothing on the AR channel but what was granted.
// Nothing is granted while it is quiet.
module formal_arbiter (
  input logic                                clk_i,
  input logic                                clear_i,
  input logic                                quiet_i,
  input logic [2:0]                          req_i,
  input logic [3*vta_pkg::AxiAddrWidth-1:0]  addr_i,
  input logic [3*vta_pkg::BurstLenWidth-1:0] beats_i,
  input logic                                arready_i
);
  localparam int unsigned AddrWidth = vta_pkg::AxiAddrWidth;
  localparam int unsigned LenWidth = vta_pkg::BurstLenWidth;
  // Assumed: the memory leaves a burst waiting for at most this many cycles.
  localparam int unsigned MaxWait = 3;

  logic rst_n_q = 1'b0;
  logic [2:0] grant;
  vta_pkg::axi_addr_t ar;
  (* hierconn *) wire [1:0] \dut.last_q ;

  always_ff @(posedge clk_i) rst_n_q <= 1'b1;

  vta_read_arbiter dut (
    .clk_i,
    .rst_ni(rst_n_q),
    .clear_i,
    .quiet_i,
    .fetch_i({req_i[0], addr_i[0+:AddrWidth], beats_i[0+:LenWidth]}),
    .load_i({req_i[1], addr_i[AddrWidth+:AddrWidth], beats_i[LenWidth+:LenWidth]}),
    .compute_i({req_i[2], addr_i[2*AddrWidth+:AddrWidth], beats_i[2*LenWidth+:LenWidth]}),
    .grant_o(grant),
    .ar_o(ar),
    .arready_i
  );

  // The burst granted and not yet accepted.
  logic waiting_q = 1'b0;
  logic [1:0] id_q = '0;
  logic [AddrWidth-1:0] addr_q = '0;
  logic [LenWidth-1:0] beats_q = '0;
  // The requester granted last; cycles that the burst on the channel waits.
  logic [1:0] last_q = 2'd2;
  logic [3:0] wait_q = '0;
  logic [1:0] winner;

  assign winner = grant[0] ? 2'd0 : grant[1] ? 2'd1 : 2'd2;

  always_ff @(posedge clk_i) begin
    if (!rst_n_q) waiting_q <= 1'b0;
    else if (grant != '0) waiting_q <= 1'b1;
    else if (arready_i) waiting_q <= 1'b0;
    wait_q <= (rst_n_q && ar.valid && !arready_i) ? wait_q + 1'b1 : '0;
    if (grant != '0) begin
      id_q <= winner;
      addr_q <= addr_i[32'(winner)*AddrWidth+:AddrWidth];
      beats_q <= beats_i[32'(winner)*LenWidth+:LenWidth];
    end
    if (!rst_n_q || clear_i) last_q <= 2'd2;
    else if (grant != '0) last_q <= winner;
  end

  always_comb begin
    assume (wait_q < 4'(MaxWait) || !ar.valid || arready_i);
    if (rst_n_q) begin
      assert ((grant & (grant - 3'd1)) == '0);
      assert ((grant & ~req_i) == '0);
      assert (ar.valid == waiting_q);
      if (ar.valid) assert (ar.id == id_q && ar.addr == addr_q && ar.len == 8'(beats_q) - 8'd1);
      if (grant != '0) assert (!ar.valid || arready_i);
      assert (grant != '0 || req_i == '0 || quiet_i || (ar.valid && !arready_i));
      assert (grant == '0 || !quiet_i);
      assert (last_q == \dut.last_q && last_q != 2'd3);
      assert (wait_q <= 4'(MaxWait) && (wait_q == '0 || ar.valid));
    end
  end

  // Fairness of each requester, while its request stands.
  for (genvar i = 0; i < 3; i++) begin : gen_fair
    logic [2:0] passed_q = '0;  // grants to others
    logic [4:0] cycles_q = '0;  // without a grant
    logic [2:0] before;         // requesters that come first if all request
    logic stands;

    assign stands = req_i[i] && !grant[i] && !quiet_i;
    assign before = 2'(i) > last_q ? 3'(i - 1) - 3'(last_q) : 3'(i + 2) - 3'(last_q);

    always_ff @(posedge clk_i) begin
      if (!rst_n_q || clear_i || !stands) begin
        passed_q <= '0;
        cycles_q <= '0;
      end else begin
        passed_q <= passed_q + 3'(grant != '0);
        cycles_q <= cycles_q + 1'b1;
      end
    end

    always_comb begin
      if (rst_n_q && !clear_i) begin
        assert (passed_q <= 3'd2 && passed_q + before <= 3'd2);
        assert (cycles_q <= 5'(passed_q) * 5'(MaxWait + 1) + 5'(wait_q));
        assert (cycles_q < 5'(3 * (MaxWait + 1)));
        cover (passed_q == 3'd2 && grant[i]);
      end
    end
  end
endmodule
