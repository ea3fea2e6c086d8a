int offset = 5;
int scale(int x) { return x * 3 + offset; }
