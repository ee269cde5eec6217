"""Static timing analysis of netlists that Yosys writes for AMD FPGAs; hw/synth/timing is the command."""
