int a;
#ifdef X
int f(void) {
#else
int f(int b) {
#endif
  return 1;
}
