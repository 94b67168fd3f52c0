"""Device code in a shared library: for which architectures it has some, and a copy that keeps one of them.

NVIDIA's libraries hold their kernels in the ELF section .nv_fatbin: containers (magic 0xBA55ED50, a header with the bytes that follow),
each with entries (kind: 1 PTX, 2 machine code; bytes of header and payload; the architecture, 90 for 9.0). Zeros in place of a payload compress
to nothing, and offsets stay. Not in NVIDIA's documents; as public readers of the format have it, and as CUDA 11 to 13 wrote it.
Rejected: nvprune, which takes relocatable files and static libraries alone."""
import collections
import struct

MAGIC, CONTAINER, ENTRY = 0xBA55ED50, struct.Struct("<IHHQ"), struct.Struct("<HHIQIIHHI")
SECTION = struct.Struct("<IIQQQQIIQQ")


def section(image, wanted):
    """(begin, end) in an ELF file of 64 bits, or None."""
    if image[:5] != b"\x7fELF\x02":
        raise ValueError("no ELF file of 64 bits")
    table, = struct.unpack_from("<Q", image, 0x28)
    count, of_names = struct.unpack_from("<HH", image, 0x3C)
    sections = [SECTION.unpack_from(image, table + SECTION.size * number) for number in range(count)]
    for name, _, _, _, begin, size, *_ in sections:
        at = sections[of_names][4] + name
        if image[at:image.index(b"\0", at)] == wanted:
            return begin, begin + size
    return None


def entries(image):
    """(kind, architecture, begin and end of the payload) of every piece of device code."""
    at, end = section(image, b".nv_fatbin") or (0, 0)
    while at < end:
        magic, _, header, size = CONTAINER.unpack_from(image, at)
        if magic != MAGIC:  # padding
            at += 8
            continue
        piece, at = at + header, at + header + size
        while piece < at:
            kind, _, header, size, *_, architecture = ENTRY.unpack_from(image, piece)
            yield kind, architecture, piece + header, piece + header + size
            piece += header + size


def bytes_by_architecture(image):
    """{architecture: bytes of machine code and PTX}"""
    found = collections.Counter()
    for _, architecture, begin, end in entries(image):
        found[architecture] += end - begin
    return dict(found)


def keep(image, architectures):
    """Zeros in place of what is for other architectures, in a bytearray."""
    for _, architecture, begin, end in entries(image):
        if architecture not in architectures:
            image[begin:end] = bytes(end - begin)
