"""Starting a framework in a fresh interpreter: what the PIs startup, import and vllm_bench share.

children.py   fresh interpreters, running a script of ours
caches.py     where compilers keep what they have compiled
compilers.py  what they tell of themselves: compiled, or found in a cache
steps.py      what a program that has just started does first
"""
