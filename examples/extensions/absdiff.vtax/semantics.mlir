// x is ACC[dst], y is ACC[src] or the immediate. Where the difference needs more than 32 bits, it wraps.
func.func @absdiff(%x: i32, %y: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %difference = arith.subi %x, %y : i32
  %negated = arith.subi %zero, %difference : i32
  %distance = arith.maxsi %difference, %negated : i32
  return %distance : i32
}
