"""Makes a wheel: make_wheel.py DIRECTORY NAME VERSION [ENTRY=CONTENT ...]; prints its file name.

Entries are taken as they are, `../` too: what an index serves need not be well-behaved.
"""
import base64
import hashlib
import pathlib
import sys
import zipfile

directory, name, version, *entries = sys.argv[1:]
file = pathlib.Path(directory) / f"{name}-{version}-py3-none-any.whl"
info = f"{name}-{version}.dist-info"
contents = dict(entry.split("=", 1) for entry in entries)
contents[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
contents[f"{info}/WHEEL"] = (
    "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
)
record = []
with zipfile.ZipFile(file, "w") as wheel:
    for path, text in contents.items():
        data = text.encode()
        # A fixed date: the same contents are the same wheel.
        wheel.writestr(zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0)), data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{path},sha256={digest},{len(data)}\n")
    record.append(f"{info}/RECORD,,\n")
    wheel.writestr(zipfile.ZipInfo(f"{info}/RECORD", (2020, 1, 1, 0, 0, 0)), "".join(record))
print(file.name)
