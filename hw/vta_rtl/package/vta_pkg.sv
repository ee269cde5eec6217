// Generated from a hardware configuration: do not edit. A design uses a part of it only.
// verilator lint_off UNUSEDPARAM
package vta_pkg;

  // Parameters of the configuration
  localparam int unsigned Batch = 1;
  localparam int unsigned BlockIn = 16;
  localparam int unsigned BlockOut = 16;
  localparam int unsigned Multipliers = 0;
  localparam int unsigned MultipliersPacked = 0;
  localparam int unsigned MultipliersDoublePumped = 1;
  localparam int unsigned MultipliersSingle = 2;
  localparam int unsigned MultipliersLut = 3;
  localparam int unsigned InpWidth = 8;
  localparam int unsigned WgtWidth = 8;
  localparam int unsigned AccWidth = 32;
  localparam int unsigned OutWidth = 8;
  localparam InpRam = "auto";
  localparam WgtRam = "auto";
  localparam AccRam = "auto";
  localparam int unsigned QmulMultiplierBits = 18;
  localparam int unsigned DepthwiseTaps = 4;
  localparam int unsigned CommandDepth = 512;
  localparam int unsigned TokenDepth = 512;
  localparam int unsigned AxiDataWidth = 64;
  localparam int unsigned AxiAddrWidth = 32;
  localparam int unsigned OutstandingBursts = 8;
  localparam int unsigned MaxBurstBeats = 16;
  localparam int unsigned AxiPorts = 1;
  localparam bit ConcurrentCompute = 1'b1;
  localparam int unsigned AluPasses = 1;
  localparam int unsigned AccBanks = 4;
  localparam int unsigned Pipeline = 0;
  localparam int unsigned PipelineFast = 0;
  localparam int unsigned PipelineRelaxed = 1;
  localparam bit ExtQmul = 1'b1;
  localparam bit ExtClip = 1'b1;
  localparam bit ExtPadMin = 1'b1;
  localparam bit ExtPrelu = 1'b0;
  localparam bit ExtRequant = 1'b0;
  localparam bit ExtDepthwise = 1'b0;
  localparam bit ExtLut = 1'b0;
  localparam bit ExtTranspose = 1'b0;
  localparam bit ExtHandover = 1'b0;

  // Elements in DRAM and depths of the scratchpads, in elements
  localparam int unsigned UopElemBits = 32;
  localparam int unsigned UopElemBytes = 4;
  localparam int unsigned UopLogElemBytes = 2;
  localparam int unsigned UopLogDepth = 13;
  localparam int unsigned UopDepth = 8192;
  localparam int unsigned WgtElemBits = 2048;
  localparam int unsigned WgtElemBytes = 256;
  localparam int unsigned WgtLogElemBytes = 8;
  localparam int unsigned WgtLogDepth = 10;
  localparam int unsigned WgtDepth = 1024;
  localparam int unsigned InpElemBits = 128;
  localparam int unsigned InpElemBytes = 16;
  localparam int unsigned InpLogElemBytes = 4;
  localparam int unsigned InpLogDepth = 11;
  localparam int unsigned InpDepth = 2048;
  localparam int unsigned AccElemBits = 512;
  localparam int unsigned AccElemBytes = 64;
  localparam int unsigned AccLogElemBytes = 6;
  localparam int unsigned AccLogDepth = 11;
  localparam int unsigned AccDepth = 2048;
  localparam int unsigned OutElemBits = 128;
  localparam int unsigned OutElemBytes = 16;
  localparam int unsigned OutLogElemBytes = 4;
  localparam int unsigned OutLogDepth = 11;
  localparam int unsigned OutDepth = 2048;
  localparam int unsigned Acc8ElemBits = 128;
  localparam int unsigned Acc8ElemBytes = 16;
  localparam int unsigned Acc8LogElemBytes = 4;
  localparam int unsigned Acc8LogDepth = 11;
  localparam int unsigned Acc8Depth = 2048;
  localparam int unsigned WgtTransposedElemBits = 2048;
  localparam int unsigned WgtTransposedElemBytes = 256;
  localparam int unsigned WgtTransposedLogElemBytes = 8;
  localparam int unsigned WgtTransposedLogDepth = 10;
  localparam int unsigned WgtTransposedDepth = 1024;
  localparam int unsigned InpFromOutElemBits = 128;
  localparam int unsigned InpFromOutElemBytes = 16;
  localparam int unsigned InpFromOutLogElemBytes = 4;
  localparam int unsigned InpFromOutLogDepth = 11;
  localparam int unsigned InpFromOutDepth = 2048;

  // Bus
  localparam int unsigned AxiBytes = 8;
  localparam int unsigned AxiLogBytes = 3;
  localparam int unsigned AxiIdWidth = 2;
  localparam int unsigned LoadDmas = 1;
  localparam int unsigned PortInp = 0;
  localparam int unsigned PortWgt = 0;
  localparam int unsigned PortStore = 0;
  localparam int unsigned UopLanes = 2;
  localparam int unsigned InpLanes = 1;
  localparam int unsigned WgtLanes = 1;
  localparam int unsigned InpBanks = 1;

  // Build
  localparam bit Int8Packing = 1'b1;
  localparam bit FastSimulation = 1'b0;
  localparam bit CountersEnable = 1'b1;
  localparam logic [63:0] Fingerprint = 64'h371437367438c1b9;

  // Encoding: positions and widths of fields
  localparam bit WideEncoding = 1'b0;
  localparam int unsigned InsnBytes = 16;
  localparam int unsigned InsnBits = 128;
  localparam int unsigned InsnLogBytes = 4;
  localparam int unsigned InsnOpcodeLsb = 0;
  localparam int unsigned InsnOpcodeWidth = 3;
  localparam int unsigned InsnPopPrevLsb = 3;
  localparam int unsigned InsnPopPrevWidth = 1;
  localparam int unsigned InsnPopNextLsb = 4;
  localparam int unsigned InsnPopNextWidth = 1;
  localparam int unsigned InsnPushPrevLsb = 5;
  localparam int unsigned InsnPushPrevWidth = 1;
  localparam int unsigned InsnPushNextLsb = 6;
  localparam int unsigned InsnPushNextWidth = 1;
  localparam int unsigned MemMemoryTypeLsb = 7;
  localparam int unsigned MemMemoryTypeWidth = 3;
  localparam int unsigned MemSramBaseLsb = 10;
  localparam int unsigned MemSramBaseWidth = 16;
  localparam int unsigned MemDramBaseLsb = 26;
  localparam int unsigned MemDramBaseWidth = 32;
  localparam int unsigned MemPadKindLsb = 58;
  localparam int unsigned MemPadKindWidth = 6;
  localparam int unsigned MemYSizeLsb = 64;
  localparam int unsigned MemYSizeWidth = 16;
  localparam int unsigned MemXSizeLsb = 80;
  localparam int unsigned MemXSizeWidth = 16;
  localparam int unsigned MemXStrideLsb = 96;
  localparam int unsigned MemXStrideWidth = 16;
  localparam int unsigned MemYPad0Lsb = 112;
  localparam int unsigned MemYPad0Width = 4;
  localparam int unsigned MemYPad1Lsb = 116;
  localparam int unsigned MemYPad1Width = 4;
  localparam int unsigned MemXPad0Lsb = 120;
  localparam int unsigned MemXPad0Width = 4;
  localparam int unsigned MemXPad1Lsb = 124;
  localparam int unsigned MemXPad1Width = 4;
  localparam int unsigned GemmResetLsb = 7;
  localparam int unsigned GemmResetWidth = 1;
  localparam int unsigned GemmUopBgnLsb = 8;
  localparam int unsigned GemmUopBgnWidth = 13;
  localparam int unsigned GemmUopEndLsb = 21;
  localparam int unsigned GemmUopEndWidth = 14;
  localparam int unsigned GemmIterOutLsb = 35;
  localparam int unsigned GemmIterOutWidth = 14;
  localparam int unsigned GemmIterInLsb = 49;
  localparam int unsigned GemmIterInWidth = 14;
  localparam int unsigned GemmDepthwiseLsb = 63;
  localparam int unsigned GemmDepthwiseWidth = 1;
  localparam int unsigned GemmDstFactorOutLsb = 64;
  localparam int unsigned GemmDstFactorOutWidth = 11;
  localparam int unsigned GemmDstFactorInLsb = 75;
  localparam int unsigned GemmDstFactorInWidth = 11;
  localparam int unsigned GemmSrcFactorOutLsb = 86;
  localparam int unsigned GemmSrcFactorOutWidth = 11;
  localparam int unsigned GemmSrcFactorInLsb = 97;
  localparam int unsigned GemmSrcFactorInWidth = 11;
  localparam int unsigned GemmWgtFactorOutLsb = 108;
  localparam int unsigned GemmWgtFactorOutWidth = 10;
  localparam int unsigned GemmWgtFactorInLsb = 118;
  localparam int unsigned GemmWgtFactorInWidth = 10;
  localparam int unsigned AluResetLsb = 7;
  localparam int unsigned AluResetWidth = 1;
  localparam int unsigned AluUopBgnLsb = 8;
  localparam int unsigned AluUopBgnWidth = 13;
  localparam int unsigned AluUopEndLsb = 21;
  localparam int unsigned AluUopEndWidth = 14;
  localparam int unsigned AluIterOutLsb = 35;
  localparam int unsigned AluIterOutWidth = 14;
  localparam int unsigned AluIterInLsb = 49;
  localparam int unsigned AluIterInWidth = 14;
  localparam int unsigned AluAluPageLsb = 63;
  localparam int unsigned AluAluPageWidth = 1;
  localparam int unsigned AluDstFactorOutLsb = 64;
  localparam int unsigned AluDstFactorOutWidth = 11;
  localparam int unsigned AluDstFactorInLsb = 75;
  localparam int unsigned AluDstFactorInWidth = 11;
  localparam int unsigned AluSrcFactorOutLsb = 86;
  localparam int unsigned AluSrcFactorOutWidth = 11;
  localparam int unsigned AluSrcFactorInLsb = 97;
  localparam int unsigned AluSrcFactorInWidth = 11;
  localparam int unsigned AluAluOpcodeLsb = 108;
  localparam int unsigned AluAluOpcodeWidth = 3;
  localparam int unsigned AluUseImmLsb = 111;
  localparam int unsigned AluUseImmWidth = 1;
  localparam int unsigned AluImmLsb = 112;
  localparam int unsigned AluImmWidth = 16;
  localparam int unsigned UopDstIdxLsb = 0;
  localparam int unsigned UopDstIdxWidth = 11;
  localparam int unsigned UopSrcIdxLsb = 11;
  localparam int unsigned UopSrcIdxWidth = 11;
  localparam int unsigned UopWgtIdxLsb = 22;
  localparam int unsigned UopWgtIdxWidth = 10;

  // Opcodes
  typedef enum logic [2:0] {
    OpcodeLoad = 3'd0,
    OpcodeStore = 3'd1,
    OpcodeGemm = 3'd2,
    OpcodeFinish = 3'd3,
    OpcodeAlu = 3'd4
  } opcode_e;

  // Memories that LOAD and STORE address: codes, and sets of them with a bit for each code
  typedef enum logic [2:0] {
    MemTypeUop = 3'd0,
    MemTypeWgt = 3'd1,
    MemTypeInp = 3'd2,
    MemTypeAcc = 3'd3,
    MemTypeOut = 3'd4,
    MemTypeAcc8 = 3'd5,
    MemTypeWgtTransposed = 3'd6,
    MemTypeInpFromOut = 3'd7
  } mem_type_e;
  localparam logic [7:0] MemTypesLoaded = 8'h2f;
  localparam logic [7:0] MemTypesOfLoadUnit = 8'h6;

  // Operations of the ALU: codes, and sets of them with a bit for each code
  localparam int unsigned AluOpWidth = 4;
  typedef enum logic [3:0] {
    AluOpMin = 4'd0,
    AluOpMax = 4'd1,
    AluOpAdd = 4'd2,
    AluOpShr = 4'd3,
    AluOpMul = 4'd4,
    AluOpQmul = 4'd5,
    AluOpClip = 4'd6,
    AluOpPrelu = 4'd8,
    AluOpRequant = 4'd9,
    AluOpTable = 4'd10,
    AluOpLut = 4'd11
  } alu_op_e;
  localparam logic [15:0] AluIsThere = 16'h7f;
  localparam logic [15:0] AluTakesTensor = 16'h33f;
  localparam logic [15:0] AluTakesImmediate = 16'hc5f;
  localparam logic [15:0] AluImmIsShift = 16'h120;
  localparam logic [15:0] AluImmIsRange = 16'h240;
  localparam logic [15:0] AluImmIsZero = 16'h800;
  localparam int unsigned AluMaxShift = 62;
  localparam bit AluHasPages = 1'b0;

  // Depthwise GEMM: elements of INP for an iteration, and what its instructions hold
  localparam int unsigned InpReadElems = 1;
  localparam int unsigned DepthwiseProducts = 0;
  localparam int unsigned DepthwiseIterInWidth = 11;
  localparam int unsigned TapsWidth = 3;

  // Transposing LOAD: the bits that a weight has to have
  localparam int unsigned TransposeWidth = 0;

  // Timing: docs/timing.md, "Constants"
  localparam int unsigned LaunchCycles = 4;
  localparam int unsigned BurstBoundaryBytes = 4096;
  localparam int unsigned FetchBursts = 4;
  localparam int unsigned BurstLatency = 3;
  localparam int unsigned QueueLatency = 6;
  localparam int unsigned DmaInFlight = 4;
  localparam int unsigned DmaStartLatency = 2;
  localparam int unsigned ScanAhead = 8;
  localparam int unsigned ScanLatency = 6;
  localparam int unsigned ReorderDepth = 16;
  localparam int unsigned LoadLatency = 1;
  localparam int unsigned AluDepth = 6;
  localparam int unsigned GemmDepth = 7;
  localparam int unsigned AccLatency = 6;
  localparam int unsigned RequantShiftLsb = 26;
  localparam int unsigned TableWidth = 0;
  localparam int unsigned TableWords = 64;
  localparam int unsigned TableIndexWidth = 6;
  localparam int unsigned BurstLenWidth = 5;
  localparam int unsigned ReorderWidth = 4;
  localparam int unsigned AccLogBanks = 2;
  localparam int unsigned AccFilledBanks = 4;

  // Control registers: offsets, positions of fields, and values that never change
  localparam logic [11:0] RegControl = 12'h0;
  localparam int unsigned RegControlLaunchLsb = 0;
  localparam int unsigned RegControlDoneLsb = 1;
  localparam int unsigned RegControlResetLsb = 2;
  localparam logic [11:0] RegCycles = 12'h4;
  localparam logic [11:0] RegInsnCount = 12'h8;
  localparam logic [11:0] RegInsnAddr = 12'hc;
  localparam logic [11:0] RegUopBase = 12'h10;
  localparam logic [11:0] RegInpBase = 12'h14;
  localparam logic [11:0] RegWgtBase = 12'h18;
  localparam logic [11:0] RegAccBase = 12'h1c;
  localparam logic [11:0] RegOutBase = 12'h20;
  localparam logic [11:0] RegUser = 12'h24;
  localparam logic [11:0] RegId = 12'h40;
  localparam logic [11:0] RegVersion = 12'h44;
  localparam logic [11:0] RegFingerprintLo = 12'h48;
  localparam logic [11:0] RegFingerprintHi = 12'h4c;
  localparam logic [11:0] RegConfig = 12'h50;
  localparam int unsigned RegConfigLogBatchLsb = 0;
  localparam int unsigned RegConfigLogBlockInLsb = 4;
  localparam int unsigned RegConfigLogBlockOutLsb = 8;
  localparam int unsigned RegConfigWideEncodingLsb = 12;
  localparam int unsigned RegConfigQmulLsb = 13;
  localparam int unsigned RegConfigClipLsb = 14;
  localparam int unsigned RegConfigPadMinLsb = 15;
  localparam int unsigned RegConfigConcurrentComputeLsb = 16;
  localparam int unsigned RegConfigCountersLsb = 17;
  localparam int unsigned RegConfigInt8PackingLsb = 18;
  localparam int unsigned RegConfigLogBusBytesLsb = 20;
  localparam int unsigned RegConfigAddrBitsLsb = 24;
  localparam logic [11:0] RegDepths = 12'h54;
  localparam int unsigned RegDepthsUopLsb = 0;
  localparam int unsigned RegDepthsInpLsb = 8;
  localparam int unsigned RegDepthsWgtLsb = 16;
  localparam int unsigned RegDepthsAccLsb = 24;
  localparam logic [11:0] RegExtensions = 12'h58;
  localparam int unsigned RegExtensionsQmulLsb = 0;
  localparam int unsigned RegExtensionsClipLsb = 1;
  localparam int unsigned RegExtensionsPadMinLsb = 2;
  localparam int unsigned RegExtensionsPreluLsb = 3;
  localparam int unsigned RegExtensionsRequantLsb = 4;
  localparam int unsigned RegExtensionsDepthwiseLsb = 5;
  localparam int unsigned RegExtensionsLutLsb = 6;
  localparam int unsigned RegExtensionsTransposeLsb = 7;
  localparam int unsigned RegExtensionsHandoverLsb = 8;
  localparam logic [11:0] RegStatus = 12'h60;
  localparam int unsigned RegStatusRunningLsb = 0;
  localparam int unsigned RegStatusDoneLsb = 1;
  localparam int unsigned RegStatusFaultLsb = 2;
  localparam int unsigned RegStatusLaunchRefusedLsb = 3;
  localparam int unsigned RegStatusDrainingLsb = 4;
  localparam logic [11:0] RegFault = 12'h64;
  localparam int unsigned RegFaultCodeLsb = 0;
  localparam logic [11:0] RegFaultInsn = 12'h68;
  localparam logic [11:0] RegIrqEnable = 12'h70;
  localparam int unsigned RegIrqEnableDoneLsb = 0;
  localparam int unsigned RegIrqEnableFaultLsb = 1;
  localparam logic [11:0] RegIrqStatus = 12'h74;
  localparam int unsigned RegIrqStatusDoneLsb = 0;
  localparam int unsigned RegIrqStatusFaultLsb = 1;
  localparam logic [11:0] RegInsnAddrHi = 12'h80;
  localparam logic [11:0] RegUopBaseHi = 12'h84;
  localparam logic [11:0] RegInpBaseHi = 12'h88;
  localparam logic [11:0] RegWgtBaseHi = 12'h8c;
  localparam logic [11:0] RegAccBaseHi = 12'h90;
  localparam logic [11:0] RegOutBaseHi = 12'h94;
  localparam logic [11:0] RegLastUopInp = 12'h98;
  localparam int unsigned RegLastUopInpUopLsb = 0;
  localparam int unsigned RegLastUopInpInpLsb = 16;
  localparam logic [11:0] RegLastWgtAcc = 12'h9c;
  localparam int unsigned RegLastWgtAccWgtLsb = 0;
  localparam int unsigned RegLastWgtAccAccLsb = 16;
  localparam logic [11:0] RegCounterCycles = 12'h100;
  localparam logic [11:0] RegCounterGemmUops = 12'h108;
  localparam logic [11:0] RegCounterAluUops = 12'h110;
  localparam logic [11:0] RegCountersFetch = 12'h140;
  localparam logic [11:0] RegCountersLoad = 12'h180;
  localparam logic [11:0] RegCountersCompute = 12'h1c0;
  localparam logic [11:0] RegCountersStore = 12'h200;
  localparam logic [31:0] RegIdValue = 32'h31415456;
  localparam logic [31:0] RegVersionValue = 32'h1;
  localparam logic [31:0] RegConfigValue = 32'h2037e440;
  localparam logic [31:0] RegDepthsValue = 32'hb0a0b0d;
  localparam logic [31:0] RegLastUopInpValue = 32'h7ff1fff;
  localparam logic [31:0] RegLastWgtAccValue = 32'h7ff03ff;
  localparam logic [31:0] RegExtensionsValue = 32'h7;

  // Faults: codes of the fault register
  typedef enum logic [3:0] {
    FaultNone = 4'd0,
    FaultIllegalInstruction = 4'd1,
    FaultSramBounds = 4'd2,
    FaultBadLaunch = 4'd3,
    FaultTokenOverflow = 4'd4,
    FaultTokensLeftOver = 4'd5,
    FaultDeadlock = 4'd6,
    FaultBusError = 4'd7
  } fault_code_e;

`include "vta_types.svh"
endpackage
// verilator lint_on UNUSEDPARAM
