int scale(int);
extern int offset;
[[clang::nvptx_kernel]] void kernel(int *p) { p[0] = scale(p[1]) + offset; }
