"""Reads random_input_len, as newer ones do."""
