// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A 32-bit program that prints its environment. It needs neither headers nor libraries for 32 bits:
//   cc -m32 -O1 -ffreestanding -fno-stack-protector -fno-pie -no-pie -nostdlib -static environment32.c

static void write_out(const char *text, int size) {
  int result = 4; // write()
  __asm__ volatile("int $0x80" : "+a"(result) : "b"(1), "c"(text), "d"(size) : "memory");
}

__attribute__((used)) static void begin(char **words) {
  char **variable = words + 1 + *(int *)words + 1; // after argc, argv and its end
  for (; *variable; ++variable) {
    int size = 0;
    while ((*variable)[size])
      ++size;
    write_out(*variable, size);
    write_out("\n", 1);
  }
  __asm__ volatile("int $0x80" : : "a"(1), "b"(0)); // exit()
}

__asm__(".globl _start\n"
        "_start: push %esp\n"
        "        call begin\n");
