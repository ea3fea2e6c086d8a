"""damage-payloads.py FATBIN OUTPUT SM: fills the payloads for all other
architectures with 0xff."""
import struct
import sys

fatbin, output, keep = sys.argv[1:]
data = bytearray(open(fatbin, "rb").read())
position, damaged = 16, 0
while position < len(data):
    header, size = struct.unpack_from("<IQ", data, position + 4)
    (sm,) = struct.unpack_from("<I", data, position + 28)
    if sm != int(keep):
        data[position + header : position + header + size] = b"\xff" * size
        damaged += 1
    position += header + size
assert damaged == 2
open(output, "wb").write(data)
