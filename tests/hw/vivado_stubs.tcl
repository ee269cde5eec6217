# Vivado's commands as far as hw/boards uses them: they check their options and what they are applied to, and keep the
# block design. What is not here is an error, as in Tcl. usage: tclsh vivado_stubs.tcl SCRIPT BOARD_TCL
# The environment says what the tools find: STUB_WNS, STUB_WHS and STUB_TPWS a slack for each implementation run,
# STUB_BOARD_FILES=no that there are none, STUB_PROGRESS how far a run gets.
set cells [dict create]
set driven [dict create]
set joined [dict create]
set configured [dict create]
set registers {}
set launched 0
set out {}
proc environment {name default} { return [expr {[info exists ::env($name)] ? $::env($name) : $default}] }

# command -> options with a value, flags, number of other arguments at least and at most
set syntax {
  create_project {{-part} {-force} 1 2}                 close_project {{} {} 0 0}
  add_files {{-fileset} {-norecurse} 1 1}               update_compile_order {{-fileset} {} 0 0}
  update_ip_catalog {{} {} 0 0}                         create_bd_design {{} {} 1 1}
  validate_bd_design {{} {} 0 0}                        save_bd_design {{} {} 0 0}
  assign_bd_address {{} {} 0 0}                         make_wrapper {{-files} {-top -import} 0 0}
  wait_on_run {{} {} 1 1}                               reset_run {{} {} 1 1}
  open_run {{} {} 1 1}                                  report_timing_summary {{-file} {} 0 0}
  close_design {{} {} 0 0}                              get_board_parts {{} {-quiet} 1 1}
  report_utilization {{-file} {-hierarchical} 0 0}      write_hw_platform {{-file} {-fixed -include_bit -force} 0 0}
  package_xo {{-xo_path -kernel_name -ip_directory -kernel_xml} {-force} 0 0}
  ipx::package_project {{-root_dir -vendor -library -taxonomy -set_current} {-import_files} 0 0}
  ipx::associate_bus_interfaces {{-busif -clock} {} 1 1}
  ipx::create_xgui_files {{} {} 1 1}                    ipx::update_checksums {{} {} 1 1}
  ipx::check_integrity {{} {} 1 1}                      ipx::save_core {{} {} 1 1}
}

proc parse {command arguments} {
  lassign [dict get $::syntax $command] valued flags least most
  set options [dict create]
  set others {}
  for {set i 0} {$i < [llength $arguments]} {incr i} {
    set word [lindex $arguments $i]
    if {$word in $valued} {
      incr i
      if {$i == [llength $arguments]} { error "$command: no value for $word" }
      dict set options $word [lindex $arguments $i]
    } elseif {$word in $flags} {
      dict set options $word 1
    } elseif {[string match -* $word]} {
      error "$command: unknown option $word"
    } else {
      lappend others $word
    }
  }
  if {[llength $others] < $least || [llength $others] > $most} { error "$command: wrong number of arguments: $others" }
  dict set options others $others
  return $options
}

namespace eval ipx {}
foreach command [dict keys $syntax] {
  proc $command args "parse $command \$args; puts \"$command \$args\""
}

# Files have to be there.
proc add_files args {
  foreach file [lindex [dict get [parse add_files $args] others] 0] {
    if {![file exists $file]} { error "add_files: no file $file" }
  }
  puts "add_files $args"
}
proc package_xo args {
  set xml [dict get [parse package_xo $args] -kernel_xml]
  if {![file exists $xml]} { error "package_xo: no file $xml" }
  puts "package_xo $args"
}
proc ipx::associate_bus_interfaces args {
  set options [parse ipx::associate_bus_interfaces $args]
  if {[dict get $options -busif] ni {s_axi_control m_axi_gmem m_axi_gmem1 m_axi_gmem2 m_axi_gmem3} || [dict get $options -clock] ne "ap_clk"} {
    error "no such interface or clock: $args"
  }
}

# Runs leave a bitstream; the block design a handoff.
proc launch_runs args {
  if {[dict get [parse launch_runs $args] others] ne "impl_1"} { error "launch_runs: $args" }
  incr ::launched
  set folder [get_property DIRECTORY object:run:impl_1]
  file mkdir $folder
  foreach name {vta_system_wrapper.bit vta_system.hwh} { close [open [file join $folder $name] w] }
  puts "launch_runs $args"
}
dict set syntax launch_runs {{-to_step -jobs} {} 1 1}
proc get_board_parts args {
  parse get_board_parts $args
  return [expr {[environment STUB_BOARD_FILES yes] eq "yes" ? "object:board_part" : ""}]
}
proc current_run option {
  if {$option ne "-implementation"} { error "current_run: $option" }
  return object:run:impl_1
}

proc current_fileset {} { return object:fileset }
proc current_design {} { return object:design }
proc current_project {} { return object:project }
proc get_files args {
  if {[llength $args] == 1} { return object:files:[lindex $args 0] }
  if {[lrange $args 0 1] ne "-quiet -of_objects" || [lindex $args 3] ne "*.hwh"} { error "get_files: $args" }
  return [file join [get_property DIRECTORY object:run:impl_1] vta_system.hwh]
}
proc get_runs name { return object:run:$name }
proc get_bd_addr_segs name {
  if {$name ne "ps/Data/SEG_vta_reg0"} { error "no address segment $name" }
  return object:segment
}
proc ipx::current_core {} { return object:core }
proc ipx::get_user_parameters {name of core} {
  if {$name ni {C_M_AXI_GMEM_ADDR_WIDTH C_M_AXI_GMEM_DATA_WIDTH C_M_AXI_GMEM_COHERENT C_AP_CTRL_CHAIN}} { error "no parameter $name of vta_top" }
  return object:parameter
}
proc ipx::get_memory_maps {name of core} {
  if {$name ne "s_axi_control" || $of ne "-of_objects"} { error "no memory map $name" }
  return object:map
}
proc ipx::get_address_blocks {name of map} {
  if {$name ne "reg0" || $of ne "-of_objects" || $map ne "object:map"} { error "no address block $name" }
  return object:block
}
proc ipx::add_register {name block} {
  if {$block ne "object:block" || $name in $::registers} { error "add_register: $name" }
  lappend ::registers $name
  puts "register $name"
  return object:register
}
proc ipx::add_register_parameter {name register} {
  if {$name ne "ASSOCIATED_BUSIF" || $register ne "object:register"} { error "add_register_parameter: $name" }
  return object:parameter
}
# What the PLL of a processor makes of a clock's wish: an integer part of its own frequency.
set made_clocks [dict create \
  CONFIG.PCW_ACT_FPGA0_PERIPHERAL_FREQMHZ {CONFIG.PCW_FPGA0_PERIPHERAL_FREQMHZ 1000.0} \
  CONFIG.PSU__CRL_APB__PL0_REF_CTRL__ACT_FREQMHZ {CONFIG.PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ 1500.0}]
set wishes [dict create]
proc made_clock {name} {
  lassign [dict get $::made_clocks $name] wish pll_mhz
  if {![dict exists $::wishes $wish]} { error "get_property: $name before $wish was set" }
  return [expr {$pll_mhz / ceil($pll_mhz / [dict get $::wishes $wish])}]
}
proc get_property {name object} {
  if {$object eq "cell:ps" && [dict exists $::made_clocks $name]} { return [made_clock $name] }
  if {$object ne "object:run:impl_1"} { error "get_property: $object" }
  if {$name eq "PROGRESS"} { return [environment STUB_PROGRESS 100%] }
  if {$name eq "DIRECTORY"} { return [file join [dict get $::board out] vta runs impl_1] }
  if {$name ni {STATS.WNS STATS.WHS STATS.TPWS}} { error "get_property: no property $name" }
  set slacks [environment STUB_[string range $name 6 end] 0.5]
  return [lindex $slacks [expr {min($::launched, [llength $slacks]) - 1}]]
}

set properties {
  object:fileset {top generic}                object:project {board_part ip_repo_paths}
  object:core {name version sdx_kernel sdx_kernel_type ipi_drc vitis_drc supported_families auto_family_support_level}
  object:register {address_offset size}
  object:design {BITSTREAM.GENERAL.COMPRESS}  object:run:impl_1 {strategy}
  object:parameter {value}                    object:segment {offset range}
}

# What the IP blocks have: net pins that drive, net pins that are driven, interfaces (m and s), properties.
set smartconnect {{} {aclk aresetn} {M00_AXI m S00_AXI s} {NUM_SI NUM_MI}}
set kinds [dict create \
  xilinx.com:ip:smartconnect $smartconnect \
  xilinx.com:ip:proc_sys_reset {{peripheral_aresetn} {slowest_sync_clk ext_reset_in} {} {}} \
  xilinx.com:ip:clk_wiz {{clk_out1 locked} {clk_in1} {} {PRIM_SOURCE PRIM_IN_FREQ CLKOUT1_REQUESTED_OUT_FREQ CLKOUT2_USED
    CLKOUT2_REQUESTED_OUT_FREQ USE_RESET RESET_TYPE}} \
  vta:user:vta_top:1.0 {{interrupt} {ap_clk ap_clk_2 ap_rst_n} {m_axi_gmem m s_axi_control s} {}} \
  xilinx.com:ip:processing_system7 {{FCLK_CLK0 FCLK_RESET0_N} {M_AXI_GP0_ACLK IRQ_F2P}
    {M_AXI_GP0 m} {PCW_USE_M_AXI_GP0 PCW_USE_S_AXI_HP0 PCW_S_AXI_HP0_DATA_WIDTH
     PCW_USE_S_AXI_HP1 PCW_S_AXI_HP1_DATA_WIDTH PCW_USE_S_AXI_HP2 PCW_S_AXI_HP2_DATA_WIDTH PCW_USE_S_AXI_HP3
     PCW_S_AXI_HP3_DATA_WIDTH PCW_USE_S_AXI_ACP
     PCW_USE_DEFAULT_ACP_USER_VAL PCW_USE_FABRIC_INTERRUPT PCW_IRQ_F2P_INTR PCW_EN_CLK0_PORT
     PCW_FPGA0_PERIPHERAL_FREQMHZ}} \
  xilinx.com:ip:zynq_ultra_ps_e {{pl_clk0 pl_resetn0} {maxihpm0_fpd_aclk pl_ps_irq0}
    {M_AXI_HPM0_FPD m} {PSU__USE__M_AXI_GP0 PSU__USE__M_AXI_GP1 PSU__USE__M_AXI_GP2 PSU__MAXIGP0__DATA_WIDTH
     PSU__USE__S_AXI_GP0 PSU__SAXIGP0__DATA_WIDTH PSU__AFI0_COHERENCY PSU__USE__S_AXI_GP2
     PSU__SAXIGP2__DATA_WIDTH PSU__USE__S_AXI_GP3 PSU__SAXIGP3__DATA_WIDTH PSU__USE__S_AXI_GP4
     PSU__SAXIGP4__DATA_WIDTH PSU__USE__S_AXI_GP5 PSU__SAXIGP5__DATA_WIDTH PSU__USE__IRQ0 PSU__FPGA_PL0_ENABLE PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ}}]

# What a property that is switched on brings: the clock pin and the interface of a memory port.
set brings [dict create \
  PCW_USE_S_AXI_HP0 {S_AXI_HP0_ACLK S_AXI_HP0}            PCW_USE_S_AXI_ACP {S_AXI_ACP_ACLK S_AXI_ACP} \
  PSU__USE__S_AXI_GP0 {saxihpc0_fpd_aclk S_AXI_HPC0_FPD}  PSU__USE__S_AXI_GP2 {saxihp0_fpd_aclk S_AXI_HP0_FPD}]
for {set i 1} {$i < 4} {incr i} {
  dict set brings PCW_USE_S_AXI_HP$i [list S_AXI_HP${i}_ACLK S_AXI_HP$i]
  dict set brings PSU__USE__S_AXI_GP[expr {2 + $i}] [list saxihp${i}_fpd_aclk S_AXI_HP${i}_FPD]
}
proc bring {cell property} {
  if {$property eq "USE_RESET"} {
    dict set ::cells $cell [lreplace [dict get $::cells $cell] 1 1 {clk_in1 resetn}]
  }
  if {$property eq "CLKOUT2_USED"} {
    dict set ::cells $cell [lreplace [dict get $::cells $cell] 0 0 {clk_out1 clk_out2 locked}]
    dict set ::cells reset [lreplace [dict get $::cells reset] 1 1 {slowest_sync_clk ext_reset_in dcm_locked}]
  }
  if {![dict exists $::brings $property]} { return }
  lassign [dict get $::brings $property] clock interface
  lassign [dict get $::cells $cell] drives takes interfaces properties
  dict set ::cells $cell [list $drives [concat $takes $clock] [concat $interfaces $interface s] $properties]
}

proc create_bd_cell args {
  if {[llength $args] != 5 || [lrange $args 0 2] ne "-type ip -vlnv"} { error "create_bd_cell: $args" }
  lassign [lrange $args 3 4] kind name
  if {![dict exists $::kinds $kind]} { error "create_bd_cell: unknown IP $kind" }
  if {[dict exists $::cells $name]} { error "create_bd_cell: $name twice" }
  dict set ::cells $name [dict get $::kinds $kind]
  if {$name ne "vta"} { return }
  # As many memory ports as vta_top.v has.
  set file [open [file join [dict get $::board out] vta_top.v]]
  set top [read $file]
  close $file
  foreach port {m_axi_gmem1 m_axi_gmem2 m_axi_gmem3} {
    if {[string first ${port}_awaddr $top] < 0} { continue }
    dict set ::cells vta [lreplace [dict get $::cells vta] 2 2 [concat [lindex [dict get $::cells vta] 2] $port m]]
  }
}
proc get_bd_cells name {
  if {![dict exists $::cells $name]} { error "no cell $name" }
  return cell:$name
}
proc apply_bd_automation args {
  if {[llength $args] != 5 || [lindex $args 0] ne "-rule" || [lindex $args 2] ne "-config"} { error "automation: $args" }
  if {[lindex $args 1] ni {xilinx.com:bd_rule:processing_system7 xilinx.com:bd_rule:zynq_ultra_ps_e}} {
    error "unknown rule [lindex $args 1]"
  }
  puts "automation apply_board_preset [dict get [lindex $args 3] apply_board_preset]"
}
proc get_bd_pins path {
  lassign [split $path /] cell pin
  if {![dict exists $::cells $cell]} { error "no cell $cell" }
  lassign [dict get $::cells $cell] drives takes
  if {$pin in $drives} { return [list out $path] }
  if {$pin in $takes} { return [list in $path] }
  error "no pin $path"
}
proc get_bd_intf_pins path {
  lassign [split $path /] cell pin
  set interfaces [lindex [dict get $::cells $cell] 2]
  if {![dict exists $interfaces $pin]} { error "no interface $path" }
  return [list [dict get $interfaces $pin] $path]
}
proc connect_bd_net args {
  if {[lindex $args 0 0] ne "out"} { error "connect_bd_net: [lindex $args 0 1] drives nothing" }
  foreach pin [lrange $args 1 end] {
    lassign $pin direction path
    if {$direction ne "in" || [dict exists $::driven $path]} { error "connect_bd_net: $path cannot be driven (again)" }
    dict set ::driven $path [lindex $args 0 1]
  }
}
proc connect_bd_intf_net {master slave} {
  if {[lindex $master 0] ne "m" || [lindex $slave 0] ne "s"} { error "connect_bd_intf_net: $master to $slave" }
  foreach path [list [lindex $master 1] [lindex $slave 1]] {
    if {[dict exists $::joined $path]} { error "connect_bd_intf_net: $path twice" }
    dict set ::joined $path 1
  }
}
proc set_property args {
  if {[lindex $args 0] eq "-dict"} {
    lassign $args - values object
    if {[llength $values] % 2} { error "set_property: odd -dict" }
  } else {
    if {[llength $args] != 3} { error "set_property: $args" }
    lassign $args name value object
    set values [list $name $value]
  }
  foreach {name value} $values {
    if {[string match cell:* $object]} {
      set allowed [lindex [dict get $::cells [string range $object 5 end]] 3]
      if {![string match CONFIG.* $name] || [string range $name 7 end] ni $allowed} {
        error "$object has no property $name"
      }
      dict set ::wishes $name $value
      if {$value in {1 true}} { bring [string range $object 5 end] [string range $name 7 end] }
    } elseif {$name ni [dict get $::properties $object]} {
      error "$object has no property $name"
    }
    puts "set_property $object $name $value"
  }
}
# Everything has to be connected.
proc validate_bd_design {} {
  dict for {name cell} $::cells {
    lassign $cell - takes interfaces
    foreach pin $takes { if {![dict exists $::driven $name/$pin]} { error "$name/$pin is not driven" } }
    foreach pin [dict keys $interfaces] {
      if {![dict exists $::joined $name/$pin]} { error "$name/$pin is not connected" }
    }
  }
  puts "validated [dict size $::cells] cells"
}

set script [lindex $argv 0]
set argv [lrange $argv 1 end]
source $script
