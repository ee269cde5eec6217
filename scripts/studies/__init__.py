"""Studies of accelerators: one module each, run by scripts/study.py."""
