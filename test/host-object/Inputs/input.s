# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What nvcc's host object has for a device link, as a COFF object: the sections
# of an ELF object, which make-coff.py puts into files named after them.
.section .nvFatBinSegment, "dr"
.long 0x466243b1, 1
.quad device_code, 0
.section __nv_relfatbin, "dr"
.balign 8
device_code:
.incbin "__nv_relfatbin"
.section __nv_module_id, "dw"
.incbin "__nv_module_id"
