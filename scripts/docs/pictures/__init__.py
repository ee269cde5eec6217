"""The pictures of the manual: one module for each, and svg.py, which writes them."""
