"""This machine's network: free ports, and the network that an address is of."""

from __future__ import absolute_import

import fcntl
import socket
import struct

from stackx_pi.errors import EnvironmentFault

SIOCGIFADDR, SIOCGIFNETMASK = 0x8915, 0x891B  # linux/sockios.h


def free_port():
    """Behind which the next one is free, too: now, at least."""
    for _ in range(100):
        first, second = socket.socket(), socket.socket()
        try:
            first.bind(("", 0))
            second.bind(("", first.getsockname()[1] + 1))
            return first.getsockname()[1]
        except (IOError, OSError, OverflowError):
            pass
        finally:
            first.close()
            second.close()
    raise EnvironmentFault("no two free ports one behind the other")


def network_of(address):
    """"10.1.0.0/24" of the interface that has the address "10.1.0.7"; None where none has it."""
    with open("/proc/net/dev") as interfaces:
        names = [line.split(":")[0].strip() for line in interfaces if ":" in line]
    for name in names:
        if number_of(name, SIOCGIFADDR) == as_number(address):
            mask = number_of(name, SIOCGIFNETMASK)
            return "%s/%d" % (socket.inet_ntoa(struct.pack("!I", as_number(address) & mask)), bin(mask).count("1"))
    return None


def as_number(address):
    return struct.unpack("!I", socket.inet_aton(address))[0]


def number_of(name, question):
    """An address of an interface; None where it has none."""
    asked = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        return struct.unpack("!I", fcntl.ioctl(asked.fileno(), question, struct.pack("256s", name.encode("ascii")))[20:24])[0]
    except (IOError, OSError):
        return None
    finally:
        asked.close()
