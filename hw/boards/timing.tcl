# Implements the current design with one strategy after the other until its timing is met. Sourced by build_board.tcl.

# From the quick one to those that spend hours.
set strategies {
  {Vivado Implementation Defaults}
  Performance_ExplorePostRoutePhysOpt
  Performance_NetDelay_high
  Performance_ExtraTimingOpt
}

# What is wrong with the timing of a finished run; empty if nothing is. WNS and TNS: setup. WHS: hold. TPWS: pulse width,
# as a total, so that anything below 0 is a failure. A hold or pulse width failure stays at any clock.
proc timing_failures run {
  set failures {}
  foreach {statistic name} {STATS.WNS setup STATS.WHS hold STATS.TPWS {pulse width}} {
    set slack [get_property $statistic $run]
    if {$slack eq "" || $slack < 0} { lappend failures "$name ($statistic [expr {$slack eq "" ? "unknown" : $slack}])" }
  }
  return $failures
}

# The clock in MHz at which a path with that worst setup slack in ns would have fitted.
proc reachable_mhz {clock_mhz wns} {
  return [expr {int(1000.0 / (1000.0 / $clock_mhz - $wns))}]
}

proc reports {out name} {
  open_run impl_1
  report_timing_summary -file [file join $out timing$name.rpt]
  report_utilization -hierarchical -file [file join $out utilization$name.rpt]
  report_utilization -file [file join $out utilization_totals$name.rpt]
  close_design
}

proc implement {out clock_mhz} {
  set tried {}
  foreach strategy $::strategies {
    if {[llength $tried] > 0} { reset_run impl_1 }
    set_property strategy $strategy [get_runs impl_1]
    launch_runs impl_1 -to_step write_bitstream -jobs 4
    wait_on_run impl_1
    if {[get_property PROGRESS [get_runs impl_1]] ne "100%"} {
      error "implementation failed with strategy $strategy; see the logs under $out/vta"
    }
    set failures [timing_failures [get_runs impl_1]]
    reports $out ""
    if {[llength $failures] == 0} {
      puts "timing is met at $clock_mhz MHz with strategy $strategy"
      return
    }
    puts "WARNING: strategy $strategy: [join $failures ", "]"
    lappend tried $strategy
    set wns [get_property STATS.WNS [get_runs impl_1]]
  }
  # Nothing that an earlier build left may be taken for this one's.
  file delete -force [file join $out vta.bit] [file join $out vta.hwh] [file join $out vta.xsa]
  set remedy "look at the paths in $out/timing.rpt: hold and pulse width do not depend on clock_mhz"
  if {$wns ne "" && $wns < 0} {
    set remedy "set clock_mhz of configs/boards to at most [reachable_mhz $clock_mhz $wns], or choose a smaller\
      configuration; $out/timing.rpt names the paths, $out/utilization.rpt the units that fill the device"
  }
  error "timing is not met at $clock_mhz MHz with any of [llength $tried] strategies ([join $failures ", "]): $remedy"
}
