static int
new_foo(void)
{
  return 1;
}

template <typename T>
T new_tt(T a) {
  return a;
}

typedef struct {
  int x;
} new_s_t;

int new_main(int argc, char **argv)
{
}
