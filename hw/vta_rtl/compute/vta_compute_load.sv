// The compute unit's read DMA: LOAD of UOP, ACC and ACC_8BIT, which is sign-extended here. Of the 32 bits that an
// accumulator has in DRAM, the low AccWidth go to ACC.
//
// Loads of UOP write all elements of a beat in a cycle, those of ACC one (docs/timing.md, "Read DMA").
module vta_compute_load (
  // Clock; synchronous reset; clear_i before a launch; halt_i: start, request and write nothing.
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,
  input  logic halt_i,

  // Transfers from vta_compute: offered, taken with cmd_ready_o, retired in order with done_o in the cycle of the last
  // write. fault_o is for one cycle.
  input  logic              cmd_valid_i,
  output logic              cmd_ready_o,
  input  vta_pkg::mem_cmd_t cmd_i,
  input  logic              is_uop_i,   // what its memory type is, from registers; with neither it is ACC
  input  logic              is_acc8_i,
  output logic              done_o,
  output vta_pkg::fault_t   fault_o,

  // Base addresses.
  input  logic [vta_pkg::AxiAddrWidth-1:0] uop_base_i,
  input  logic [vta_pkg::AxiAddrWidth-1:0] acc_base_i,

  // Read channel: the burst offered and its grant; the beats that come for it; whether a granted burst has not ended.
  output vta_pkg::burst_t     burst_o,
  input  logic                grant_i,
  input  vta_pkg::read_beat_t beat_i,
  output logic                bus_busy_o,

  // Writes, of one kind in a cycle: uop_wcount_o micro-ops from the address on, the first in the low bits; one element
  // of ACC.
  output logic                                              uop_we_o,
  output logic [vta_pkg::UopLogDepth-1:0]                   uop_waddr_o,
  output logic [vta_pkg::LaneCountWidth-1:0]                uop_wcount_o,
  output logic [vta_pkg::UopLanes*vta_pkg::UopElemBits-1:0] uop_wdata_o,
  output logic                                              acc_we_o,
  output logic [vta_pkg::AccLogDepth-1:0]                   acc_waddr_o,
  output logic [vta_pkg::AccElemBits-1:0]                   acc_wdata_o,
  // For the performance counters: bytes of data written in this cycle.
  output logic [16:0]                                       read_bytes_o
);

  localparam int unsigned AccDramBits = 8 * vta_pkg::AccElemBytes;
  localparam int unsigned MaxElemBits = vta_pkg::UopElemBits > AccDramBits ? vta_pkg::UopElemBits : AccDramBits;
  localparam int unsigned GroupBits = MaxElemBits > vta_pkg::AxiDataWidth ? MaxElemBits : vta_pkg::AxiDataWidth;
  localparam bit HasNarrow =
      vta_pkg::UopElemBits < vta_pkg::AxiDataWidth || vta_pkg::Acc8ElemBits < vta_pkg::AxiDataWidth;
  localparam int unsigned Lanes = vta_pkg::Batch * vta_pkg::BlockOut;

  logic [4:0] log_elem;

  assign log_elem = is_uop_i ? 5'(vta_pkg::UopLogElemBytes) :
                    is_acc8_i ? 5'(vta_pkg::Acc8LogElemBytes) : 5'(vta_pkg::AccLogElemBytes);

  vta_pkg::dma_op_t op;
  logic [GroupBits-1:0] data;
  logic start;
  logic on_chip;
  logic out_re;
  logic [vta_pkg::OutLogDepth-1:0] out_raddr;
  logic in_flight;

  vta_read_dma #(
    .MaxElemBits(MaxElemBits),
    .HasNarrow(HasNarrow)
  ) u_dma (
    .clk_i,
    .rst_ni,
    .clear_i,
    .halt_i,
    .cmd_valid_i,
    .cmd_ready_o,
    .cmd_i,
    .base_i(is_uop_i ? uop_base_i : acc_base_i),
    .log_elem_i(log_elem),
    .start_o(start),
    .fault_o,
    .burst_o,
    .grant_i,
    .beat_i,
    .bus_busy_o,
    .out_re_o(out_re),
    .out_raddr_o(out_raddr),
    .out_rdata_i(vta_pkg::OutElemBits'(0)),
    .op_o(op),
    .data_o(data),
    .on_chip_o(on_chip),
    .retire_i(op.last),
    .in_flight_o(in_flight)
  );

  logic is_acc8;
  localparam int unsigned Width = vta_pkg::AccWidth;
  localparam int unsigned DramWidth = AccDramBits / Lanes;
  logic [vta_pkg::AccElemBits-1:0] extended, wrapped;
  logic [Width-1:0] pad_lane;

  assign is_acc8 = op.memory_type == vta_pkg::MemTypeAcc8;
  for (genvar i = 0; i < Lanes; i++) begin : gen_lanes
    assign extended[i*Width+:Width] = Width'($signed(data[i*8+:8]));
    assign wrapped[i*Width+:Width] = data[i*DramWidth+:Width];
  end

  always_comb begin
    pad_lane = '0;
    if (op.pad_min) pad_lane = is_acc8 ? {{(Width - 7) {1'b1}}, 7'b0} : {1'b1, (Width - 1)'(0)};
  end

  assign done_o = op.last;
  assign uop_we_o = op.uop_we;
  assign acc_we_o = op.elem_we;
  assign uop_waddr_o = op.addr[vta_pkg::UopLogDepth-1:0];
  assign acc_waddr_o = op.addr[vta_pkg::AccLogDepth-1:0];
  assign uop_wdata_o = op.pad ? '0 : data[vta_pkg::UopLanes*vta_pkg::UopElemBits-1:0];
  assign uop_wcount_o = op.count;
  assign acc_wdata_o = op.pad ? {Lanes{pad_lane}} : is_acc8 ? extended : wrapped;

  always_comb begin
    read_bytes_o = '0;
    if (op.we && !op.pad) begin
      unique case (op.memory_type)
        vta_pkg::MemTypeUop: read_bytes_o = 17'(op.count) << vta_pkg::UopLogElemBytes;
        vta_pkg::MemTypeAcc8: read_bytes_o = 17'(vta_pkg::Acc8ElemBytes);
        default: read_bytes_o = 17'(vta_pkg::AccElemBytes);
      endcase
    end
  end

  logic unused;
  assign unused = &{1'b0, on_chip, out_re, out_raddr, start, op, in_flight, data};

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      acc_takes_one : assert (!acc_we_o || op.count == vta_pkg::LaneCountWidth'(1));
      uops_fit_a_beat : assert (!uop_we_o || (op.count != '0 && 32'(op.count) <= vta_pkg::UopLanes));
      nothing_of_out : assert (!(op.valid && on_chip));
    end
  end

endmodule
