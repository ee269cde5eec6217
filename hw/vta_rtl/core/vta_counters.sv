// The performance counters, 48 bits each; without CountersEnable they read as zero and take nothing.
//
// What happens in a cycle is counted at the end of the next one. A launch is done later than that.
//
// Entry i is at register offset 0x100 + 8 i: 0 cycles, 1 GEMM and 2 ALU micro-ops, then from 8 on eight entries for
// each unit (fetch, load, compute, store) in the order of the register map. What counts when: docs/timing.md,
// "Counters".
module vta_counters (
  // Clock; synchronous reset; clear_i sets all to zero.
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  // A launch is running: cycles count. It is halted: nothing else does.
  input  logic                  running_i,
  input  logic                  halt_i,
  // What the units did in this cycle.
  input  vta_pkg::unit_events_t fetch_i,
  input  vta_pkg::unit_events_t load_i,
  input  vta_pkg::unit_events_t compute_i,
  input  vta_pkg::unit_events_t store_i,
  // Bytes that they moved: read by fetch in the low bits, then load, compute, store; written by store.
  input  logic [4*17-1:0]       read_bytes_i,
  input  logic [16:0]           write_bytes_i,
  // A micro-op was executed.
  input  logic                  gemm_uop_i,
  input  logic                  alu_uop_i,
  // Read of an entry: the value comes in the cycle after the index, which stays meanwhile.
  input  logic [5:0]            index_i,
  output logic [63:0]           value_o
);

  localparam int unsigned Entries = 40;
  localparam int unsigned Width = 48;

  if (vta_pkg::CountersEnable) begin : gen_counters
    (* mem2reg *) logic [Width-1:0] count_q[Entries];
    logic [Entries-1:0] tick, tick_q;

    always_comb begin
      tick = '0;
      tick[1] = gemm_uop_i;
      tick[2] = alu_uop_i;
      tick[12:8] = {fetch_i.stall_hazard, fetch_i.stall_memory, fetch_i.stall_token, fetch_i.busy, fetch_i.retired};
      tick[20:16] = {load_i.stall_hazard, load_i.stall_memory, load_i.stall_token, load_i.busy, load_i.retired};
      tick[28:24] = {compute_i.stall_hazard, compute_i.stall_memory, compute_i.stall_token, compute_i.busy,
                     compute_i.retired};
      tick[36:32] = {store_i.stall_hazard, store_i.stall_memory, store_i.stall_token, store_i.busy, store_i.retired};
      if (halt_i) tick = '0;
      tick[0] = running_i;
    end

    always_ff @(posedge clk_i) begin
      tick_q <= rst_ni && !clear_i ? tick : '0;
    end

    for (genvar i = 0; i < Entries; i++) begin : gen_entry
      // 13 + 8 * unit are the bytes read, 38 those written; the others count cycles and events.
      localparam bit Reads = i >= 8 && i % 8 == 5;
      localparam bit Writes = i == 38;
      localparam int unsigned Unit = Reads ? (i - 8) / 8 : 0;
      if (Reads || Writes) begin : gen_bytes
        logic [16:0] bytes_q;
        always_ff @(posedge clk_i) begin
          bytes_q <= halt_i ? '0 : Reads ? read_bytes_i[Unit*17+:17] : write_bytes_i;
          if (!rst_ni || clear_i) count_q[i] <= '0;
          else count_q[i] <= count_q[i] + Width'(bytes_q);
        end
      end else begin : gen_tick
        always_ff @(posedge clk_i) begin
          if (!rst_ni || clear_i) count_q[i] <= '0;
          else if (tick_q[i]) count_q[i] <= count_q[i] + 1'b1;
        end
      end
    end

    // One of each eight in the cycle of the index, one of these in the next.
    localparam int unsigned Groups = Entries / 8;
    logic [Width-1:0] group_q[Groups];
    for (genvar g = 0; g < Groups; g++) begin : gen_group
      always_ff @(posedge clk_i) group_q[g] <= count_q[6'(8*g)+6'(index_i[2:0])];
    end
    assign value_o = index_i[5:3] < 3'(Groups) ? 64'(group_q[index_i[5:3]]) : '0;

    logic unused;
    assign unused = &{1'b0, tick_q};

    // A unit is in one state at most.
    logic [3:0] ambiguous;
    always_comb begin
      for (int unit = 0; unit < 4; unit++) begin
        ambiguous[unit] = (tick[9+8*unit+:4] & (tick[9+8*unit+:4] - 4'd1)) != 4'd0;
      end
    end

    always_ff @(posedge clk_i) begin
      if (rst_ni && running_i && !halt_i) begin
        one_state : assert (ambiguous == 4'd0);
      end
    end
  end else begin : gen_none
    logic unused;
    assign unused = &{1'b0, clk_i, rst_ni, clear_i, running_i, halt_i, fetch_i, load_i, compute_i, store_i,
                      read_bytes_i, write_bytes_i, gemm_uop_i, alu_uop_i, index_i};
    assign value_o = '0;
  end

endmodule
