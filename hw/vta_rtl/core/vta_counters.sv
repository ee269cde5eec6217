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
    localparam int unsigned Units = 4;
    localparam int unsigned Events = 5;
    localparam int unsigned FirstOfUnits = 8;
    localparam int unsigned Written = 38;

    // By entry; those that nothing below counts are zero.
    (* mem2reg *) logic [Width-1:0] count[Entries];
    // Of a unit, its first event in the low bit.
    logic [Events-1:0] events[Units];
    assign events[0] = {fetch_i.stall_hazard, fetch_i.stall_memory, fetch_i.stall_token, fetch_i.busy, fetch_i.retired};
    assign events[1] = {load_i.stall_hazard, load_i.stall_memory, load_i.stall_token, load_i.busy, load_i.retired};
    assign events[2] = {compute_i.stall_hazard, compute_i.stall_memory, compute_i.stall_token, compute_i.busy,
                        compute_i.retired};
    assign events[3] = {store_i.stall_hazard, store_i.stall_memory, store_i.stall_token, store_i.busy, store_i.retired};

    logic       stopped;
    logic [2:0] core_q;  // cycles, GEMM and ALU micro-ops
    assign stopped = halt_i || !rst_ni || clear_i;
    always_ff @(posedge clk_i) core_q <= {alu_uop_i && !stopped, gemm_uop_i && !stopped, running_i && rst_ni && !clear_i};
    for (genvar i = 0; i < FirstOfUnits; i++) begin : gen_core
      if (i < 3) begin : gen_count
        logic [Width-1:0] count_q;
        always_ff @(posedge clk_i) begin
          if (!rst_ni || clear_i) count_q <= '0;
          else if (core_q[i]) count_q <= count_q + 1'b1;
        end
        assign count[i] = count_q;
      end else begin : gen_none
        assign count[i] = '0;
      end
    end

    for (genvar u = 0; u < Units; u++) begin : gen_unit
      logic [Events-1:0] events_q;
      always_ff @(posedge clk_i) events_q <= stopped ? '0 : events[u];
      for (genvar e = 0; e < 8; e++) begin : gen_entry
        localparam int unsigned Entry = FirstOfUnits + 8 * u + e;
        if (e < Events) begin : gen_event
          logic [Width-1:0] count_q;
          always_ff @(posedge clk_i) begin
            if (!rst_ni || clear_i) count_q <= '0;
            else if (events_q[e]) count_q <= count_q + 1'b1;
          end
          assign count[Entry] = count_q;
        end else if (e == Events || Entry == Written) begin : gen_bytes
          logic [16:0]      bytes_q;
          logic [Width-1:0] count_q;
          always_ff @(posedge clk_i) begin
            bytes_q <= halt_i ? '0 : Entry == Written ? write_bytes_i : read_bytes_i[u*17+:17];
            if (!rst_ni || clear_i) count_q <= '0;
            else if (bytes_q != '0) count_q <= count_q + Width'(bytes_q);
          end
          assign count[Entry] = count_q;
        end else begin : gen_none
          assign count[Entry] = '0;
        end
      end
    end

    // One of each eight in the cycle of the index, one of these in the next.
    localparam int unsigned Groups = Entries / 8;
    logic [Width-1:0] group_q[Groups];
    for (genvar g = 0; g < Groups; g++) begin : gen_group
      always_ff @(posedge clk_i) group_q[g] <= count[6'(8*g)+6'(index_i[2:0])];
    end
    assign value_o = index_i[5:3] < 3'(Groups) ? 64'(group_q[index_i[5:3]]) : '0;

    // A unit is in one state at most.
    logic [Units-1:0] ambiguous;
    always_comb begin
      for (int unit = 0; unit < Units; unit++) begin
        ambiguous[unit] = (events[unit][Events-1:1] & (events[unit][Events-1:1] - 1'b1)) != '0;
      end
    end

    always_ff @(posedge clk_i) begin
      if (rst_ni && running_i && !halt_i) begin
        one_state : assert (ambiguous == '0);
      end
    end
  end else begin : gen_none
    logic unused;
    assign unused = &{1'b0, clk_i, rst_ni, clear_i, running_i, halt_i, fetch_i, load_i, compute_i, store_i,
                      read_bytes_i, write_bytes_i, gemm_uop_i, alu_uop_i, index_i};
    assign value_o = '0;
  end

endmodule
