"""MLPerf's four scenarios of inference for calls of Python frameworks: kernels/timing/scenario.hpp in Python.

Same rules, parameters and members of the document as stackx-pi's; read that header for the rules (LoadGen's) and their why.

plan.py         what was asked for, from the parameters
scenario.py     runs one: queries on a clock
arrivals.py     when queries arrive at a server
latency.py      percentiles, and what so many queries prove about one
rate_search.py  the largest rate that holds
document.py     "scenario" of the document

One thread asks and is answered, as in stackx-pi: one server and its queue. Rejected: several threads that call at once. Where a
framework holds the interpreter's lock they would measure the lock; how many threads are inside a call says threads=N.
"""
