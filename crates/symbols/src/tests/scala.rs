//! Symbols of Scala.

use super::{bodies, fixed, table};
use crate::Language;

#[test]
fn scala() {
    assert_eq!(table(Language::Scala, SCALA), SCALA_SYMBOLS);
}

pub(super) const SCALA: &str = r#"package a.b
package c

import d._

/** A limit. */
@deprecated("a")
abstract class Shape[T](val x: Int, y: Int) extends Base(x) with Area {
  private val name = "a"
  var other: String = _
  val (p, q) = (1, 2)
  lazy val view = {
    val inner = 1
    inner
  }
  type Alias = Int
  def this(x: Int) = this(x, 1)

  /** Area. */
  @inline override def area(): Double = 1.0

  def text: String = {
    def local(): Int = {
      1
    }
    val t = """a
      |b""".stripMargin
    s"""a
    $x
    """
    val run = new Runnable {
      override def run(): Unit = {
      }
    }
    t
  }

  protected def abstractOne: Int

  class Inner
  object Nested {
    val a = 1
  }
}

object Shape extends Factory {
  def apply() = new Shape(1)
  case class Item(a: Int)
  case object None
  implicit class Rich(val a: Int) extends AnyVal {
    def b = 1
  }
  val a, b = 1
}

sealed trait Area {
  def area(): Double
  val sides: Int
}

package inner {
  class A
}

package object stuff {
  val a = 1
}
"#;

const SCALA_SYMBOLS: &str = "\
6-44 type Shape body 9-43 public
9-9 member Shape > name
10-10 member Shape > other public
12-15 member Shape > view public
16-16 type Shape > Alias public
17-17 method Shape > this public
19-20 method Shape > area public
22-36 method Shape > text body 23-35 public
23-25 function Shape > text > local body 24-24 public
32-33 method Shape > text > run body empty public
38-38 method Shape > abstractOne
40-40 type Shape > Inner public
41-43 type Shape > Nested body 42-42 public
42-42 member Shape > Nested > a public
46-54 type Shape body 47-53 public
47-47 method Shape > apply public
48-48 type Shape > Item public
49-49 type Shape > None public
50-52 type Shape > Rich body 51-51 public
51-51 method Shape > Rich > b public
56-59 interface Area body 57-58 public
57-57 method Area > area public
58-58 member Area > sides public
61-63 module inner body 62-62 public
62-62 type inner > A public
65-67 module stuff body 66-66 public
66-66 constant stuff > a public
";

#[test]
fn scala_3() {
    assert_eq!(table(Language::Scala, SCALA_3), SCALA_3_SYMBOLS);
}

const SCALA_3: &str = r#"package a

enum Color(val rgb: Int):
  /** Red. */
  case Red extends Color(1)
  case Green, Blue
  case Mix(a: Int)
  def show = 1

enum Planet {
  case Earth
  case Mars(a: Int)
}

trait Show[A]:
  def show(a: A): String
  extension (a: A) def text = 1

given intShow: Show[Int] with
  def show(a: Int): String =
    val x = 1
    x.toString

given Show[String] = ???

extension (s: String)
  def twice: String = s + s
  def third = 1

object Main:
  @main def run(): Unit =
    println("a")
  end run

  val a = 1
end Main

def top(a: Int): Int =
  if a then
    1
  else
    2

val limit = 1
opaque type Id = Int

class A:
  def b = 1

  // Note.
  def c =
    2
"#;

const SCALA_3_SYMBOLS: &str = "\
3-8 type Color body 4-8 public
4-5 member Color > Red public
7-7 member Color > Mix public
8-8 method Color > show public
10-13 type Planet body 11-12 public
11-11 member Planet > Earth public
12-12 member Planet > Mars public
15-17 interface Show body 16-17 public
16-16 method Show > show public
17-17 impl Show > extension (a: A) public
19-22 impl intShow body 20-22 public
20-22 method intShow > show body 21-22 public
24-24 impl given Show[String] public
26-28 impl extension (s: String) body 27-28 public
27-27 method extension (s: String) > twice public
28-28 method extension (s: String) > third public
30-36 type Main body 31-35 public
31-33 method Main > run body 32-32 public
35-35 member Main > a public
38-42 function top body 39-42 public
44-44 constant limit public
45-45 type Id public
47-52 type A body 48-52 public
48-48 method A > b public
50-52 method A > c body 52-52 public
";

#[test]
fn lines_of_strings_are_fixed() {
    let text = "val a = \"\"\"x\n  |y\"\"\"\nval b = s\"\"\"\n  $a\n\"\"\"\n";
    assert_eq!(fixed(Language::Scala, text), [2, 4, 5]);
}

#[test]
fn bodies_end_with_braces_or_by_indentation() {
    bodies(&[
        (Language::Scala, "def a = {\n  1\n}\n", Some((2, 3, None))),
        (Language::Scala, "def a =\n  b\n\n// c\ndef d = 1\n", Some((2, 3, None))),
        (Language::Scala, "def a =\n  if b then\n    1\n  else 2\n", Some((2, 5, None))),
        (Language::Scala, "class A:\n\n  def b = 1\n  // c\nend A\n", Some((2, 5, None))),
        (Language::Scala, "def a = b\n  .c\n", None),
        (Language::Scala, "val a =\n  1\n", None),
    ]);
}

#[test]
fn comments_belong_to_declarations_by_their_indentation() {
    let text = "\
object A {
  val b =
    1

  /** C. */
  def c =
    2
    // In c.

  // D.
  def d = s\"$c\"
}
";
    let expected = "\
1-12 type A body 2-11 public
2-3 member A > b public
5-8 method A > c body 7-8 public
10-11 method A > d public
";
    assert_eq!(table(Language::Scala, text), expected);
}
