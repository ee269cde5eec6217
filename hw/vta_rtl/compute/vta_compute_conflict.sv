// Whether two compute instructions conflict: they are on different engines and touch the same elements of ACC, or the
// same micro-ops of which one is a load. Without ConcurrentCompute all on different engines conflict.
module vta_compute_conflict (
  input  vta_pkg::claim_t older_i,
  input  vta_pkg::claim_t younger_i,
  output logic            conflict_o
);
  logic engines_differ, acc_meets, uops_meet;

  // One without an engine conflicts with none.
  assign engines_differ = (younger_i.is_load && (older_i.is_gemm || older_i.is_alu)) ||
                          (younger_i.is_gemm && (older_i.is_load || older_i.is_alu)) ||
                          (younger_i.is_alu && (older_i.is_load || older_i.is_gemm));
  assign acc_meets = older_i.uses_acc && younger_i.uses_acc && older_i.acc_lo <= younger_i.acc_hi &&
                     younger_i.acc_lo <= older_i.acc_hi;
  assign uops_meet = older_i.uses_uop && younger_i.uses_uop && (older_i.is_load || younger_i.is_load) &&
                     older_i.uop_lo <= younger_i.uop_hi && younger_i.uop_lo <= older_i.uop_hi;
  assign conflict_o = engines_differ && (!vta_pkg::ConcurrentCompute || acc_meets || uops_meet);
endmodule
