// A shared library that is no BLAS.
int stackx_fake_nothing(void) { return 42; }
