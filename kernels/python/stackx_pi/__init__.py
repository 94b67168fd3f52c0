"""What the Python PIs share: parameters, measuring, checking, frameworks. Python 2.7 and 3.6 or newer; needs NumPy only
where numbers are multiplied, which every framework brings."""

VERSION = "0.2.0"
