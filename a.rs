trait T {}

impl A {
    fn f() {}
}
