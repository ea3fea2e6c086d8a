#ifndef __SKIP_INTERNAL_FATBINARY_HEADERS
#include "fatbinary_section.h"
#endif
#define __CUDAFATBINSECTION  ".nvFatBinSegment"
#define __CUDAFATBINDATASECTION  ".nv_fatbin"
asm(
".section .nv_fatbin, \"a\"\n"
".align 8\n"
"fatbinData:\n"
".quad 0x00100001ba55ed50,0x0000000000000178,0x0000006001010001,0x0000000000000118\n"
".quad 0x0000005000000000,0x0000005a00080004,0x0000000900000040,0x0000000000000011\n"
".quad 0x0000000000000000,0x0000000000000000,0x632e6c656e72656b,0x0000000000000075\n"
".quad 0x0000000400000058,0x0000000020672d20,0x6f69737265762e0a,0x742e0a342e38206e\n"
".quad 0x6d73207465677261,0x6464612e0a30395f,0x7a69735f73736572,0x2e0a0a0a34362065\n"
".quad 0x20656c6269736976,0x6b207972746e652e,0x2e0a286c656e7265,0x752e206d61726170\n"
".quad 0x656e72656b203436,0x5f6d617261705f6c,0x722e0a7b0a290a30,0x203233622e206765\n"
".quad 0x0a203b3e323c7225,0x36622e206765722e,0x3e333c6472252034,0x3109636f6c2e0a3b\n"
".quad 0x2e646c0a30203320,0x36752e6d61726170,0x202c316472252034,0x5f6c656e72656b5b\n"
".quad 0x5d305f6d61726170,0x33752e766f6d0a3b,0x37202c3172252032,0x6c672e74730a203b\n"
".quad 0x3233752e6c61626f,0x2c5d316472255b20,0x65720a3b31722520,0x69662e0a7d0a3b74\n"
".quad 0x206122203109656c,0x2f2f206874617020,0x6c62206874697720,0x2275632e736b6e61\n"
".quad 0x000000000000000a\n"
".text\n");
#ifdef __cplusplus
extern "C" {
#endif
extern const unsigned long long fatbinData[49];
#ifdef __cplusplus
}
#endif
#ifdef __cplusplus
extern "C" {
#endif
static const __fatBinC_Wrapper_t __fatDeviceText __attribute__ ((aligned (8))) __attribute__ ((section (__CUDAFATBINSECTION)))= 
	{ 0x466243b1, 2, fatbinData, (void**)__cudaPrelinkedFatbins };
#ifdef __cplusplus
}
#endif
