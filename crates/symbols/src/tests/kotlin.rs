//! Symbols of Kotlin.

use super::{bodies, fixed, table};
use crate::Language;

#[test]
fn kotlin() {
    assert_eq!(table(Language::Kotlin, KOTLIN), KOTLIN_SYMBOLS);
}

pub(super) const KOTLIN: &str = r#"@file:JvmName("A")

package a.b

import c.d

/** A limit. */
private const val LIMIT = 1

val names: List<String> by lazy { emptyList() }

var <T> List<T>.size2: Int
    get() = 1
    set(value) {
        field = value
    }

val (p, q) = 1 to 2

typealias Handler = (Int) -> Unit

/**
 * A shape.
 */
@Suppress("a")
abstract class Shape<T>(val x: Int, private val y: Int) : Base(x), Area {
    internal val name = "a"
    lateinit var other: String
    val computed: Int
        get() {
            return 1
        }

    init {
        val inInit = 1
    }

    constructor(x: Int) : this(x, 1) {
        check(x)
    }

    override fun area(): Double = 1.0

    @Test
    fun works() {
        fun local() {
        }
        val text = """
            a
        """.trimIndent()
        val run = object : Runnable {
            override fun run() {
            }
        }
    }

    inner class Inner

    companion object {
        const val A = 1
        fun make() = 1
    }

    companion object Named : Factory {
    }
}

enum class Color(val value: Int) {
    /** Red. */
    RED(1),
    GREEN(2) {
        override fun show() = 1
    },
    BLUE(3);

    fun show() = 2
}

enum class Plain {
    A,
    B
}

object Single : Base() {
    fun a() {
    }
}

data object None

interface Area {
    fun area(): Double
    val sides: Int
}

fun interface Run {
    fun run()
}

sealed interface S
annotation class Mark(val a: Int)

fun <T> List<T>.second(): T {
    return this[1]
}

fun String.first() = 1
operator fun Point.plus(other: Point) = 1

expect fun platform(): String
actual class Platform

@JvmInline value class Id(val a: Int)

@Suppress("b")
internal fun String.suppressed() {
    @Suppress("c")
    check(1)
}
"#;

const KOTLIN_SYMBOLS: &str = "\
7-8 constant LIMIT
10-10 constant names public
12-16 member List > size2 public
20-20 type Handler public
22-66 type Shape body 27-65 public
27-27 member Shape > name
28-28 member Shape > other public
29-32 member Shape > computed public
38-40 method Shape > constructor body 39-39 public
42-42 method Shape > area public
44-55 test Shape > works body 46-54 public
46-47 function Shape > works > local body empty public
52-53 method Shape > works > run body empty public
57-57 type Shape > Inner public
59-62 type Shape > Companion body 60-61 public
60-60 constant Shape > Companion > A public
61-61 method Shape > Companion > make public
64-65 type Shape > Named body empty public
68-77 type Color body 69-76 public
69-70 member Color > RED public
71-73 member Color > GREEN body 72-72 public
72-72 method Color > GREEN > show public
74-74 member Color > BLUE public
76-76 method Color > show public
79-82 type Plain body 80-81 public
80-80 member Plain > A public
81-81 member Plain > B public
84-87 type Single body 85-86 public
85-86 method Single > a body empty public
89-89 type None public
91-94 interface Area body 92-93 public
92-92 method Area > area public
93-93 member Area > sides public
96-98 interface Run body 97-97 public
97-97 method Run > run public
100-100 interface S public
101-101 type Mark public
103-105 method List > second body 104-104 public
107-107 method String > first public
108-108 method Point > plus public
110-110 function platform public
111-111 type Platform public
113-113 type Id public
115-119 method String > suppressed body 117-118
";

#[test]
fn lines_of_strings_are_fixed() {
    let text = "val a = \"\"\"\n  x\n\"\"\"\n/* b\n c */\nval d = 1\n";
    assert_eq!(fixed(Language::Kotlin, text), [2, 3]);
}

#[test]
fn bodies_are_between_braces() {
    bodies(&[
        (Language::Kotlin, "fun a() {\n}\n", Some((2, 2, None))),
        (Language::Kotlin, "fun a() =\n    b(\n        1)\n", None),
        (Language::Kotlin, "enum class A {\n    B\n}\n", Some((2, 3, Some(20)))),
        (Language::Kotlin, "enum class A {\n    B;\n    fun c() = 1\n}\n", Some((2, 4, None))),
    ]);
}

#[test]
fn keywords_are_names_in_backticks() {
    let text = "fun `in`() {}\nfun `a b`() {}\n";
    assert_eq!(
        table(Language::Kotlin, text),
        "1-1 function `in` public\n2-2 function `a b` public\n"
    );
}
