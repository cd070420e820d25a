//! Symbols of C and C++.

use super::table;
use crate::Language;

#[test]
fn c() {
    assert_eq!(table(Language::C, C), C_SYMBOLS);
}

pub(super) const C: &str = r#"#include <stdio.h>

/* The limit. */
#define LIMIT 10
#define MAX(a, b) \
    ((a) > (b) ? (a) : (b))

typedef unsigned int number;
typedef struct {
    int x;
} Point;
typedef int (*callback)(int);

struct node;
struct node {
    struct node *next;
    enum kind {
        LEAF, /* A leaf. */
        BRANCH, /* A comment
                   of two lines. */
    } kind;
};

enum { ANONYMOUS, SHARED };
extern int external;
static const char *names[] = {
    "a",
};
int one, two;
static struct option { int a; } options[] = {
    { 1 },
};

// Declared.
int declared(int a);
int (*pointer)(int);

#ifdef A
static int
next(int a)
{
    int local(int);
    struct inner { int a; } value;
    return a + 1;
}
#else
static int next(int a) { return a; }
#endif

int old_style(a)
    int a;
{
    return a;
}
typedef short int16_t;
typedef struct {
    int a;
} Window, *WindowPointer;
"#;

const C_SYMBOLS: &str = "\
3-4 macro LIMIT public
5-6 macro MAX public
8-8 type number public
9-11 type Point body 10-10 public
12-12 type callback public
15-22 type node body 16-21 public
17-21 type node > kind body 18-20 public
18-18 member node > kind > LEAF public
19-20 member node > kind > BRANCH public
25-25 constant external public
26-28 constant names
30-32 type option
34-35 function declared public
36-36 constant pointer public
39-45 function next body 42-44
43-43 type next > inner
47-47 function next
50-54 function old_style body 53-53 public
55-55 type int16_t public
56-58 type Window body 57-57 public
";

#[test]
fn cpp() {
    assert_eq!(table(Language::Cpp, CPP), CPP_SYMBOLS);
}

pub(super) const CPP: &str = r#"namespace app::inner {

/// Documentation.
template <typename T>
class [[nodiscard]] Shape final : public Base<T> {
    int hidden();
public:
    Shape() = default;
    explicit Shape(int a) : a_(a) {
    }
    virtual ~Shape() = 0;
    static constexpr int field = 1;
    operator bool() const { return true; }
    bool operator==(const Shape &other) const;
    friend void swap(Shape &a, Shape &b) {
    }
    using value_type = T;
    struct Node { int a; };
    enum class Color {
        Red, // Comment.
        Green = 2,
    };
private:
    void secret();
    void (*callback)(int);
};

template <> const std::tm *convert<std::tm>(int a) {
    std::string local("a");
    using Local = int;
    auto call = [] {
        int in_lambda;
    };
    return nullptr;
}

}  // namespace app::inner

class API_EXPORT Exported : public Base {
 public:
    int first();
    int second() {
        return 1;
    }
};

void app::inner::Shape::draw() {
}
app::Shape::operator bool() const {
}
API std::string text(int a);
int Shape::count = 0;

extern "C" int exported(int a) {
    return a;
}
extern "C" {
int listed(int a);
}

template <typename T>
concept Small = sizeof(T) < 4;
using Alias = int;
union Both { int a; };
namespace {
int anonymous;
}

TEST_F(ShapeTest, Draws) {
    int local;
}
struct Outer::Inner {
    int a;
};
"#;

const CPP_SYMBOLS: &str = "\
1-37 module app::inner body 2-36 public
3-26 type app::inner > Shape body 6-25 public
6-6 method app::inner > Shape > hidden
8-8 method app::inner > Shape > Shape public
9-10 method app::inner > Shape > Shape body empty public
11-11 method app::inner > Shape > ~Shape public
13-13 method app::inner > Shape > operator bool public
14-14 method app::inner > Shape > operator== public
15-16 method app::inner > Shape > swap body empty public
17-17 type app::inner > Shape > value_type public
18-18 type app::inner > Shape > Node public
19-22 type app::inner > Shape > Color body 20-21 public
20-20 member app::inner > Shape > Color > Red public
21-21 member app::inner > Shape > Color > Green public
24-24 method app::inner > Shape > secret
28-35 function app::inner > convert<std::tm> body 29-34 public
30-30 type app::inner > convert<std::tm> > Local public
39-45 type Exported body 40-44 public
41-41 method Exported > first public
42-44 method Exported > second body 43-43 public
47-48 method Shape > draw body empty public
49-50 method Shape > operator bool body empty public
51-51 function text public
52-52 constant Shape > count public
54-56 function exported body 55-55 public
58-58 function listed public
61-62 type Small public
63-63 type Alias public
64-64 type Both public
66-66 constant anonymous public
69-71 test ShapeTest.Draws body 70-70 public
72-74 type Outer > Inner body 73-73 public
";
