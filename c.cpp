class A {
  int a();
};

int A::a() {
  return 1;
}
