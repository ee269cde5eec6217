// The part of the package vta_pkg that is the same for every configuration: constants, types and functions that
// modules share.
//
// The part before it, generated for a configuration (vta_pkg.sv beside this file is that of configs/hw/default.yaml),
// defines the parameters that this one uses: geometry, field positions, codes, widths and the constants of
// docs/timing.md. Both stand in one package because Yosys 0.23 resolves no names of one package inside another.
// `vta-info --rtl-package` writes both into one file; it contains this text since it was built.

  // ---- Widths ---------------------------------------------------------------------------------------------------

  localparam int unsigned NumberWidth = 32;  // of an instruction's number in its stream
  // Of addresses while they are computed: wide enough for every overflow to show.
  localparam int unsigned SumAddrWidth = (AxiAddrWidth > 49 ? AxiAddrWidth : 49) + 1;
  localparam int unsigned LaneCountWidth = 8;  // holds the elements of one beat, at most 128

  // ---- Hand-overs -----------------------------------------------------------------------------------------------

  // log2 of the elements of INP in an element of OUT, and bits of their addresses in OUT.
  localparam int unsigned LogHandParts =
      ExtHandover && OutLogElemBytes > InpLogElemBytes ? OutLogElemBytes - InpLogElemBytes : 0;
  localparam int unsigned HandAddrWidth = OutLogDepth + LogHandParts;

  // ---- GEMM -----------------------------------------------------------------------------------------------------

  // Outputs whose products with one input share a multiplier.
  localparam bit GemmPacks = Int8Packing && !FastSimulation && BlockOut > 1 &&
                             (Multipliers == MultipliersPacked || Multipliers == MultipliersDoublePumped);
  localparam int unsigned GemmLanes = GemmPacks ? 2 : 1;
  // Bits of an output's sum of a micro-op. Simulators that compute on 32-bit words are fastest with these.
  localparam int unsigned GemmSumWidth = FastSimulation ? 32 : InpWidth + WgtWidth + $clog2(BlockIn);

  // ---- ALU ------------------------------------------------------------------------------------------------------

  // The lanes round in a stage of their own, before they shift; register stages of a lane.
  localparam bit AluRoundsApart = Pipeline != PipelineRelaxed;
  localparam int unsigned AluLaneStages = (ExtRequant ? 5 : 4) + (AluRoundsApart ? 1 : 0);

  // ---- Codes that only the RTL has ------------------------------------------------------------------------------

  // AXI identifiers: who sent the burst.
  typedef enum logic [1:0] {
    AxiIdFetch = 2'd0,
    AxiIdLoad = 2'd1,
    AxiIdCompute = 2'd2,
    AxiIdStore = 2'd3
  } axi_id_e;

  // ---- Types ----------------------------------------------------------------------------------------------------

  // An instruction in a command queue.
  typedef struct packed {
    logic                   past_end;  // a LOAD or STORE that uses elements past the end of its scratchpad
    logic                   has_data;  // a LOAD or STORE that moves data
    logic [NumberWidth-1:0] number;
    logic [InsnBits-1:0]    insn;
  } cmd_t;

  // A transfer, decoded: LOAD or STORE.
  typedef struct packed {
    logic                   past_end;     // it uses elements past the end of its scratchpad
    logic                   has_data;     // it has rows, and these have elements
    logic [NumberWidth-1:0] number;
    mem_type_e              memory_type;
    logic                   pad_min;      // padding is the least value of the type, not zero
    logic [15:0]            sram_base;    // first element in the scratchpad
    logic [31:0]            dram_base;    // first element in DRAM, counted from the base address of its kind
    logic [15:0]            y_size;       // rows
    logic [15:0]            x_size;       // elements of a row
    logic [15:0]            x_stride;     // elements from row to row in DRAM
    logic [3:0]             y_pad_0;      // rows and elements of padding before and after
    logic [3:0]             y_pad_1;
    logic [3:0]             x_pad_0;
    logic [3:0]             x_pad_1;
  } mem_cmd_t;

  // The token flags of an instruction.
  typedef struct packed {
    logic push_next;
    logic push_prev;
    logic pop_next;
    logic pop_prev;
  } tokens_t;

  // A fault as a unit reports it, for one cycle.
  typedef struct packed {
    logic                   valid;
    fault_code_e            code;
    logic [NumberWidth-1:0] number;  // of the instruction
  } fault_t;

  // What a unit tells the performance counters about one cycle. At most one of the four states is set; none is idle.
  typedef struct packed {
    logic retired;       // an instruction retires in this cycle
    logic busy;
    logic stall_token;
    logic stall_memory;
    logic stall_hazard;
  } unit_events_t;

  // A compute instruction as the scanner hands it on.
  typedef struct packed {
    logic                   past_end;       // of a load, as its command queue says
    logic                   has_data;
    logic [NumberWidth-1:0] number;
    logic [InsnBits-1:0]    insn;
    logic                   finish;
    logic                   out_of_bounds;  // a micro-op or an index past a depth
  } scanned_t;

  // What conflicts between compute instructions are about: which engine executes one, and what it touches. The ranges
  // are inclusive. FINISH, and GEMM or ALU with empty loops, have no engine.
  typedef struct packed {
    logic                   is_load;
    logic                   is_gemm;
    logic                   is_alu;
    logic                   uses_acc;
    logic                   uses_uop;
    logic [AccLogDepth-1:0] acc_lo;
    logic [AccLogDepth-1:0] acc_hi;
    logic [UopLogDepth-1:0] uop_lo;
    logic [UopLogDepth-1:0] uop_hi;
  } claim_t;

  // A burst that a requester of the read channel offers; it may withdraw it until it is granted.
  typedef struct packed {
    logic                     valid;
    logic [AxiAddrWidth-1:0]  addr;   // of the first beat
    logic [BurstLenWidth-1:0] beats;
  } burst_t;

  // A beat of the read channel, as its requester sees it. It is always taken.
  typedef struct packed {
    logic                    valid;
    logic                    error;
    logic                    last;   // of its burst
    logic [AxiDataWidth-1:0] data;
  } read_beat_t;

  // What a read DMA does in a cycle (vta_dma_writer). The elements go beside it, because a struct with a thousand bits costs
  // simulation time.
  typedef struct packed {
    logic                      valid;        // it does something
    logic                      we;           // it writes
    logic                      uop_we;       // micro-ops; or else elements of ACC or of the load unit
    logic                      elem_we;
    logic                      pad;          // padding, not data
    logic                      pad_min;      // padding is the least value, not zero
    logic                      transposes;   // elements of data are transposed
    mem_type_e                 memory_type;
    logic [15:0]               addr;         // first element in the scratchpad
    logic [LaneCountWidth-1:0] count;        // elements
    logic                      last;         // the last operation of its transfer
    logic [NumberWidth-1:0]    number;       // of its transfer
  } dma_op_t;

  // An AXI address channel, AR or AW, without its ready; size and kind of burst are constant.
  typedef struct packed {
    logic                    valid;
    axi_id_e                 id;
    logic [AxiAddrWidth-1:0] addr;
    logic [7:0]              len;    // beats, less one
  } axi_addr_t;

  // The AXI write data channel without its ready.
  typedef struct packed {
    logic                    valid;
    logic                    last;
    logic [AxiBytes-1:0]     strb;
    logic [AxiDataWidth-1:0] data;
  } axi_data_t;

  // What the ALU does with its elements.
  typedef struct packed {
    alu_op_e     op;
    logic        use_imm;
    logic [15:0] imm;
  } alu_info_t;

  // A micro-op of the ALU with its elements. The operation is bits, because it comes from an instruction's.
  typedef struct packed {
    logic                    last;     // of its instruction
    logic [ReorderWidth-1:0] slot;     // of its instruction
    logic [AluOpWidth-1:0]   op;
    logic                    use_imm;
    logic [15:0]             imm;
    logic [AccLogDepth-1:0]  dst;
    logic [AccLogDepth-1:0]  src;
  } alu_uop_t;

  // ---- Functions ------------------------------------------------------------------------------------------------

  // The token flags of an instruction.
  function automatic tokens_t tokens_of(logic [InsnBits-1:0] insn);
    tokens_of = {insn[InsnPushNextLsb],
                 insn[InsnPushPrevLsb],
                 insn[InsnPopNextLsb],
                 insn[InsnPopPrevLsb]};
  endfunction

  // The operation of an ALU instruction. Hardware without operations on higher pages has no wires for the page;
  // vta_decode refuses instructions with one.
  // verilator lint_off UNUSEDSIGNAL
  function automatic logic [AluOpWidth-1:0] alu_op_of(logic [InsnBits-1:0] insn);
    alu_op_of = AluOpWidth'({AluHasPages ? insn[AluAluPageLsb+:AluAluPageWidth] : AluAluPageWidth'(0),
                             insn[AluAluOpcodeLsb+:AluAluOpcodeWidth]});
  endfunction
  // verilator lint_on UNUSEDSIGNAL

  // Whether the src of an ALU operation is a pair of elements. Plain bits, as in alu_uop_t.
  function automatic logic alu_reads_pair(logic [AluOpWidth-1:0] op);
    alu_reads_pair = ExtRequant && op == vta_pkg::AluOpRequant;
  endfunction

  // Whether a GEMM instruction is a depthwise one; never on hardware without the extension. Its taps, less one; its
  // iterations of the inner loop.
  // verilator lint_off UNUSEDSIGNAL
  function automatic logic is_depthwise(logic [InsnBits-1:0] insn);
    is_depthwise = ExtDepthwise && insn[InsnOpcodeLsb+:3] == vta_pkg::OpcodeGemm && insn[GemmDepthwiseLsb];
  endfunction
  function automatic logic [TapsWidth-1:0] more_taps_of(logic [InsnBits-1:0] insn);
    more_taps_of = is_depthwise(insn) ? insn[GemmIterInLsb+DepthwiseIterInWidth+:TapsWidth] : '0;
  endfunction
  function automatic logic [GemmIterInWidth-1:0] iter_in_of(logic [InsnBits-1:0] insn);
    iter_in_of = insn[GemmIterInLsb+:GemmIterInWidth];
    if (is_depthwise(insn)) iter_in_of[DepthwiseIterInWidth+:TapsWidth] = '0;
  endfunction
  // verilator lint_on UNUSEDSIGNAL

  // Whether a LOAD of the type writes INP. Plain bits, as above.
  function automatic logic into_inp(logic [2:0] memory_type);
    into_inp = memory_type == vta_pkg::MemTypeInp || (ExtHandover && memory_type == vta_pkg::MemTypeInpFromOut);
  endfunction

  // The fields of a LOAD or STORE. The argument is a cmd_t; it is a plain vector because Yosys 0.23 resolves no
  // members of a function's arguments.
  function automatic mem_cmd_t mem_cmd_of(logic [2+NumberWidth+InsnBits-1:0] cmd);
    mem_cmd_of = {cmd[InsnBits+:2+NumberWidth],
                  cmd[MemMemoryTypeLsb+:3],
                  cmd[MemPadKindLsb],
                  cmd[MemSramBaseLsb+:16],
                  cmd[MemDramBaseLsb+:32],
                  cmd[MemYSizeLsb+:16],
                  cmd[MemXSizeLsb+:16],
                  cmd[MemXStrideLsb+:16],
                  cmd[MemYPad0Lsb+:4],
                  cmd[MemYPad1Lsb+:4],
                  cmd[MemXPad0Lsb+:4],
                  cmd[MemXPad1Lsb+:4]};
  endfunction
