//! Symbols of Ruby.

use super::table;
use crate::Language;

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
