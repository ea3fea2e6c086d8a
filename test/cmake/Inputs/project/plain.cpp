// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
void launchMiddle(int *p);
int main() {
  launchMiddle(nullptr);
  return 0;
}
