//! Symbols of Swift.

use super::{bodies, fixed, table};
use crate::Language;

#[test]
fn swift() {
    assert_eq!(table(Language::Swift, SWIFT), SWIFT_SYMBOLS);
}

pub(super) const SWIFT: &str = r##"#!/usr/bin/swift
import Foundation

/// A limit.
private let limit = 1
var first = 1, second = 2
let (p, q) = (1, 2)

public typealias Handler = (Int) -> Void

/// A shape.
@available(iOS 13, *)
public final class Shape<T>: Base, Area where T: Equatable {
    private let x: Int
    static var shared = Shape()
    var size: Int {
        return x
    }
    var name: String {
        get { return "a" }
        set {
            x = newValue
        }
    }
    var observed = 1 {
        didSet {
            update()
        }
    }
    @Published var value: Int = 0
    lazy var view: View = {
        let inner = View()
        return inner
    }()

    public init(x: Int) {
        self.x = x
    }

    convenience init?(text: String) { nil }

    deinit {
        close()
    }

    subscript(index: Int) -> Int {
        return index
    }

    /// Area.
    @discardableResult
    public func area() -> Double {
        func local() -> Int {
            return 1
        }
        let text = """
            a
            \(x)
            """
        let raw = #"a "b"
        "#
        return 1
    }

    class func make() -> Shape { Shape() }

    enum Kind {
        case a, b
        /// C.
        case c(Int)
        case d = 1
        indirect case e
    }

    static func == (lhs: Shape, rhs: Shape) -> Bool {
        return true
    }

    #if DEBUG
    func debug() {}
    #endif
}

struct Pair {
    let a: Int
}

protocol Area: AnyObject {
    associatedtype Item
    var sides: Int { get }
    func area() -> Double
    init(a: Int)
    subscript(a: Int) -> Int { get }
}

extension Shape: CustomStringConvertible where T: A {
    var description: String { "a" }
    func more() {
    }
}

extension Array where Element == Int {
}

actor Store {
    func a() async {}
}

func add(_ a: Int, to b: Int) -> Int {
    return a + b
}

infix operator <+>: AdditionPrecedence
precedencegroup A {
    higherThan: B
}

@objc protocol C {
    @objc optional func d()
}

macro stringify(_ value: Int) = #externalMacro(module: "A", type: "B")

class ATests: XCTestCase {
    func testA() {
    }
}

@Test func works() {
}

final class Box<Value> {}
indirect enum Tree { case leaf }
"##;

const SWIFT_SYMBOLS: &str = "\
4-5 constant limit
9-9 type Handler public
11-82 type Shape body 14-81 public
14-14 member Shape > x
15-15 member Shape > shared
16-18 member Shape > size body 17-17
19-24 member Shape > name body 20-23
25-29 member Shape > observed body 26-28
30-30 member Shape > value
31-34 member Shape > view
36-38 method Shape > init body 37-37 public
40-40 method Shape > init
42-44 method Shape > deinit body 43-43
46-48 method Shape > subscript body 47-47
50-63 method Shape > area body 53-62 public
53-55 function Shape > area > local body 54-54
65-65 method Shape > make
67-73 type Shape > Kind body 68-72
69-70 member Shape > Kind > c
71-71 member Shape > Kind > d
72-72 member Shape > Kind > e
75-77 method Shape > == body 76-76
80-80 method Shape > debug
84-86 type Pair body 85-85
85-85 member Pair > a
88-94 interface Area body 89-93
89-89 type Area > Item
90-90 member Area > sides
91-91 method Area > area
92-92 method Area > init
93-93 method Area > subscript
96-100 impl extension Shape: CustomStringConvertible where T: A body 97-99 public
97-97 member extension Shape: CustomStringConvertible where T: A > description
98-99 method extension Shape: CustomStringConvertible where T: A > more body empty
102-103 impl extension Array where Element == Int body empty public
105-107 type Store body 106-106
106-106 method Store > a
109-111 function add body 110-110
118-120 interface C body 119-119
119-119 method C > d
122-122 macro stringify
124-127 type ATests body 125-126
125-126 test ATests > testA body empty
129-130 test works body empty
132-132 type Box
133-133 type Tree
";

#[test]
fn lines_of_strings_are_fixed() {
    let text = "let a = \"\"\"\n  x\n  \"\"\"\nlet b = #\"\"\"\n  y\n  \"\"\"#\n";
    assert_eq!(fixed(Language::Swift, text), [2, 3, 5, 6]);
}

#[test]
fn bodies_are_between_braces() {
    bodies(&[
        (Language::Swift, "func a() {\n}\n", Some((2, 2, None))),
        (Language::Swift, "var a: Int {\n    1\n}\n", Some((2, 3, None))),
        (Language::Swift, "enum A {\n    case b\n}\n", Some((2, 3, None))),
        (Language::Swift, "let a =\n    1\n", None),
    ]);
}
