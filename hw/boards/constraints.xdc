# All signals of the design end at the processing system, which constrains its own clocks: no pins, no clocks here.
set_property BITSTREAM.GENERAL.COMPRESS TRUE [current_design]
