//! Symbols of Ruby.

use super::table;
use crate::Language;

#[test]
fn words_change_the_visibility_of_methods() {
    let text = "class A\n  def a; end\n  def x; end\n  private :x\n\n  private\n\n  def b; end\n\
        \n  class Inner\n    def c; end\n  end\n\n  class << self\n    def d; end\n\
        \n    protected\n\n    def e; end\n  end\n\n  public\n\n  def f; end\nend\n";
    let expected = "\
1-25 type A body 2-24 public
2-2 method A > a public
3-3 method A > x
8-8 method A > b
10-12 type A > Inner body 11-11 public
11-11 method A > Inner > c public
15-15 method A > d public
19-19 method A > e
24-24 method A > f public
";
    assert_eq!(table(Language::Ruby, text), expected);
}

#[test]
fn ruby() {
    assert_eq!(table(Language::Ruby, RUBY), RUBY_SYMBOLS);
}

pub(super) const RUBY: &str = "# frozen_string_literal: true

# A shape.
class Shape < Base
  LIMIT = 1
  name = 2
  attr_reader :name

  # Draws.
  def draw(a, b)
    # Before the first statement.
    Local = 1
    yield
    # After the last statement.
  end

  private def secret; end

  private_class_method def self.build(a)
    new(a)
  end

  class << self
    def create = new
  end

  def ==(other)
    true
  rescue StandardError
    false
  end

  def value=(value); @value = value end

  Point = Struct.new(:x) do
    def length
      1
    end
    INSIDE = 1
  end
end

module A::B
  def self.call; end; def self.shares; end
end

class Empty; end
=begin
Block.
=end
def top
  1
end
";

const RUBY_SYMBOLS: &str = "\
3-41 type Shape body 5-40 public
5-5 constant Shape > LIMIT public
9-15 method Shape > draw body 11-14 public
17-17 method Shape > secret
19-21 method Shape > build body 20-20
24-24 method Shape > create public
27-31 method Shape > == body 28-30 public
33-33 method Shape > value= public
35-40 constant Shape > Point public
36-38 function Shape > Point > length body 37-37 public
43-45 module A::B body 44-44 public
47-47 type Empty public
48-53 function top body 52-52 public
";
