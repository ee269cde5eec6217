// Whether a compute instruction conflicts with each of those in a group of slots, and whether with an unfinished one.
//
// A module of its own, so that synthesis maps the way to any_o by itself (hw/synth/yosys_flow.py).
module vta_compute_conflicts #(
  // Slots of the group.
  parameter int unsigned Slots = 4,
  // Bits of a claim_t: Yosys 0.23 takes no type of a package here.
  parameter int unsigned ClaimBits = 1
) (
  // The claims of the slots, the first in the low bits, and of the instruction.
  input  logic [Slots*ClaimBits-1:0] older_i,
  input  logic [ClaimBits-1:0]       younger_i,
  // For any_o: which slots are unfinished; instead of the comparisons it looks at these answers.
  input  logic [Slots-1:0]           unfinished_i,
  input  logic                       keep_i,
  input  logic [Slots-1:0]           kept_i,
  output logic [Slots-1:0]           conflict_o,
  output logic                       any_o
);
  for (genvar i = 0; i < Slots; i++) begin : gen_slot
    vta_compute_conflict u_conflict (
      .older_i(older_i[i*ClaimBits+:ClaimBits]),
      .younger_i,
      .conflict_o(conflict_o[i])
    );
  end

  assign any_o = ((keep_i ? kept_i : conflict_o) & unfinished_i) != '0;
endmodule
