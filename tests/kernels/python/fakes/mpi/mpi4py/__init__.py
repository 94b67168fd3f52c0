"""The part of mpi4py that stackx_pi/parallel/mpi.py uses, on NumPy; ranks meet in files of $FAKE_MPI. See MPI.py."""


class rc:
    initialize = True
