//! Symbols of C#.

use super::{bodies, fixed, mistakes::check, table};
use crate::Language;

#[test]
fn csharp() {
    assert_eq!(table(Language::CSharp, CSHARP), CSHARP_SYMBOLS);
}

pub(super) const CSHARP: &str = r#"using System;

[assembly: CLSCompliant(true)]

namespace Shapes.Core
{
    /// <summary>A shape.</summary>
    [Serializable]
    public abstract partial class Shape<T> : Base, IArea where T : class
    {
        private const int Limit = 1; // Comment.
        int x, y;
        public event EventHandler Changed;
        public event EventHandler Custom
        {
            add { }
            remove { }
        }

        public string Name { get; set; } = "a";

        public int Size
        {
            get => 1;
            set
            {
                x = value;
            }
        }

        int Twice => x * 2;

        static Shape() { }

        public Shape(int x) : base(x)
        {
            this.x = x;
        }

        ~Shape() { }

        public int this[int index]
        {
            get { return index; }
        }

        public static Shape<T> operator +(Shape<T> a, Shape<T> b) => a;

        public static implicit operator int(Shape<T> a)
        {
            return 1;
        }

        void IArea.Area()
        {
            int Local(int a)
            {
                return a;
            }
            var text = @"x
y";
            var raw = $$"""
                {x}
                """;
        }

        [Fact]
        public void Works() => Check();

#if DEBUG
        void Debug() { }
#endif

        #region Nested
        private struct Inner { }
        #endregion
    }

    public enum Color
    {
        /// <summary>Red.</summary>
        Red,
        [Old] Green = 2,
        Blue
    }

    public interface IArea
    {
        double Area();
        int Sides { get; }
    }

    public delegate void Handler(object sender);

    public record Point(int X, int Y);

    public record struct Pair
    {
    }
}
"#;

const CSHARP_SYMBOLS: &str = "\
5-100 module Shapes.Core body 7-99 public
7-77 type Shapes.Core > Shape body 11-76 public
11-11 constant Shapes.Core > Shape > Limit
13-13 member Shapes.Core > Shape > Changed public
14-18 member Shapes.Core > Shape > Custom body 16-17 public
20-20 member Shapes.Core > Shape > Name public
22-29 member Shapes.Core > Shape > Size body 24-28 public
31-31 member Shapes.Core > Shape > Twice
33-33 method Shapes.Core > Shape > Shape
35-38 method Shapes.Core > Shape > Shape body 37-37 public
40-40 method Shapes.Core > Shape > ~Shape
42-45 method Shapes.Core > Shape > this body 44-44 public
47-47 method Shapes.Core > Shape > operator + public
49-52 method Shapes.Core > Shape > operator int body 51-51 public
54-65 method Shapes.Core > Shape > Area body 56-64
56-59 function Shapes.Core > Shape > Area > Local body 58-58
67-68 test Shapes.Core > Shape > Works public
71-71 method Shapes.Core > Shape > Debug
75-75 type Shapes.Core > Shape > Inner
79-85 type Shapes.Core > Color body 81-84 public
81-82 member Shapes.Core > Color > Red public
83-83 member Shapes.Core > Color > Green public
84-84 member Shapes.Core > Color > Blue public
87-91 interface Shapes.Core > IArea body 89-90 public
89-89 method Shapes.Core > IArea > Area public
90-90 member Shapes.Core > IArea > Sides public
93-93 type Shapes.Core > Handler public
95-95 type Shapes.Core > Point public
97-99 type Shapes.Core > Pair body empty public
";

#[test]
fn lines_of_strings_are_fixed() {
    let text = "class A {\n    string b = @\"x\n  y\";\n    string c = $\"\"\"\n        {b}\n        \"\"\";\n}\n";
    assert_eq!(fixed(Language::CSharp, text), [3, 5, 6]);
}

#[test]
fn bodies_are_between_braces() {
    bodies(&[
        (Language::CSharp, "class A\n{\n}\n", Some((3, 3, None))),
        (Language::CSharp, "class A {\n    int B =>\n        1;\n}\n", Some((2, 4, None))),
        (Language::CSharp, "enum A\n{\n    B\n}\n", Some((3, 4, Some(14)))),
        (Language::CSharp, "enum A\n{\n    B,\n}\n", Some((3, 4, None))),
    ]);
}

#[test]
fn mistakes_that_the_grammar_accepts() {
    let text = "class Ab\n{\n    internal Ab() { }\n    int B() { return 1; }\n}\n";
    check(Language::CSharp, text, &[]);
    let wrong = "3: a constructor with another name than its class";
    check(Language::CSharp, &text.replace("class Ab", "class C"), &[wrong]);
}
