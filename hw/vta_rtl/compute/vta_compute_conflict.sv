// Whether two compute instructions conflict: they are on different engines and touch the same elements of ACC, or the
// same micro-ops of which one is a load. Without ConcurrentCompute all on different engines conflict.
module vta_compute_conflict (
  input  vta_pkg::claim_t older_i,
  input  vta_pkg::claim_t younger_i,
  output logic            conflict_o
);
  logic [2:0] older_engine, younger_engine;  // one bit or none
  logic       differ, acc_meets, uops_meet;
  logic       may_acc, may_uops;  // all that is no comparison of ranges

  // One without an engine conflicts with none.
  assign older_engine = {older_i.is_load, older_i.is_gemm, older_i.is_alu};
  assign younger_engine = {younger_i.is_load, younger_i.is_gemm, younger_i.is_alu};
  assign differ = older_engine != '0 && younger_engine != '0 && (older_engine & younger_engine) == '0;
  assign may_acc = differ && older_i.uses_acc && younger_i.uses_acc;
  assign may_uops = differ && older_i.uses_uop && younger_i.uses_uop && (older_i.is_load || younger_i.is_load);
  // The ranges are compared under an "if": a simulator then skips what most pairs do not need.
  always_comb begin
    acc_meets = 1'b0;
    uops_meet = 1'b0;
    if (may_acc) acc_meets = older_i.acc_lo <= younger_i.acc_hi && younger_i.acc_lo <= older_i.acc_hi;
    if (may_uops) uops_meet = older_i.uop_lo <= younger_i.uop_hi && younger_i.uop_lo <= older_i.uop_hi;
  end
  assign conflict_o = vta_pkg::ConcurrentCompute ? acc_meets || uops_meet : differ;
endmodule
