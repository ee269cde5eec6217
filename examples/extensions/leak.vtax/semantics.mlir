// x is ACC[dst], y is ACC[src], of which the low 18 bits are the factor, and shift is the immediate. Rounds to nearest,
// halves away from zero, and saturates.
func.func @leak(%x: i32, %y: i32, %shift: i32) -> i32 {
  %unused = arith.constant 14 : i32
  %high = arith.shli %y, %unused : i32
  %m = arith.shrsi %high, %unused : i32
  %wx = arith.extsi %x : i32 to i64
  %wm = arith.extsi %m : i32 to i64
  %p = arith.muli %wx, %wm : i64
  %s = arith.extui %shift : i32 to i64
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %unit = arith.shli %one, %s : i64
  %half = arith.shrsi %unit, %one : i64
  %negative = arith.cmpi slt, %p, %zero : i64
  %below = arith.subi %half, %one : i64
  %scales = arith.cmpi ne, %s, %zero : i64
  %down = arith.select %scales, %below, %zero : i64
  %rounding = arith.select %negative, %down, %half : i64
  %sum = arith.addi %p, %rounding : i64
  %q = arith.shrsi %sum, %s : i64
  %least = arith.constant -2147483648 : i64
  %most = arith.constant 2147483647 : i64
  %raised = arith.maxsi %q, %least : i64
  %bounded = arith.minsi %raised, %most : i64
  %scaled = arith.trunci %bounded : i64 to i32
  %none = arith.constant 0 : i32
  %below_zero = arith.cmpi slt, %x, %none : i32
  %z = arith.select %below_zero, %scaled, %x : i32
  return %z : i32
}
