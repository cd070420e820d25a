//! Symbols of Java.

use super::table;
use crate::Language;

#[test]
fn java() {
    assert_eq!(table(Language::Java, JAVA), JAVA_SYMBOLS);
}

pub(super) const JAVA: &str = r#"package a;

/** A shape. */
@Deprecated
@SuppressWarnings("a") // Comment.
public final class Shape<T> extends Base {
    private static final int LIMIT = 1; // Comment.
    int x, y;
    protected String name;

    static {
        int inBlock = 1;
    }

    public Shape() {
        this.name = "a";
    }

    @Override public String toString() { return name; }

    @Test
    void works() {
        Runnable run = new Runnable() {
            @Override
            public void run() {
            }
        };
        class Local {
        }
    }

    public enum Color {
        /** Red. */
        RED,
        GREEN(1) {
            @Override
            int value() {
                return 1;
            }
        },
        BLUE, YELLOW;

        int value() { return 0; }
    }

    record Pair(int a, int b) {
        Pair {
            check(a);
        }
    }
}

interface Area {
    int UNIT = 1;
    double area();
    default double twice() {
        return 2 * area();
    }
}

@interface Marker {
    int value() default 1;
}
"#;

const JAVA_SYMBOLS: &str = "\
3-51 type Shape body 7-50 public
7-7 constant Shape > LIMIT
9-9 member Shape > name
15-17 method Shape > Shape body 16-16 public
19-19 method Shape > toString public
21-30 test Shape > works body 23-29
24-26 method Shape > works > run body empty
28-29 type Shape > works > Local body empty
32-44 type Shape > Color body 33-43 public
33-34 member Shape > Color > RED public
35-40 member Shape > Color > GREEN body 36-39 public
36-39 method Shape > Color > GREEN > value body 38-38
43-43 method Shape > Color > value
46-50 type Shape > Pair body 47-49
47-49 method Shape > Pair > Pair body 48-48
53-59 interface Area body 54-58
54-54 constant Area > UNIT
55-55 method Area > area
56-58 method Area > twice body 57-57
61-63 interface Marker body 62-62
62-62 method Marker > value
";
