//! Symbols of JavaScript and TypeScript.

use super::table;
use crate::Language;

#[test]
fn javascript() {
    assert_eq!(table(Language::JavaScript, JAVASCRIPT), JAVASCRIPT_SYMBOLS);
}

pub(super) const JAVASCRIPT: &str = "#!/usr/bin/env node
'use strict';
/** Adds. */
export function add(a, b) {
  function nested() {}
  const local = () => {
    let inner = 1;
  };
  return a + b;
}

export default function () {
  return 1;
}

const one = 1, two = 2;
const { three } = object;
/* Arrow. */ const arrow = (a) => a;
export const block = async (a) => {
  return a;
};
function* generate() {}
var Legacy = class {
  method() {
    return 1;
  }
};

class Shape extends Base {
  #hidden = 1;
  static count = 0; #second = 2;
  other = 3;

  static {
    const inStaticBlock = 1;
  }

  constructor() {
    super();
  }

  // Getter.
  get area() { return 1; }
  async *'quoted name'() {}
  #secret() {}
}

module.exports = {
  inObject() {
    return 1;
  },
};
const expression = (a) =>
  call(() => {
    return a;
  });
";

const JAVASCRIPT_SYMBOLS: &str = "\
3-10 function add body 5-9 public
5-5 function add > nested public
6-8 function add > local body 7-7 public
12-14 function default body 13-13 public
18-18 function arrow
19-21 function block body 20-20 public
22-22 function generate
23-27 type Legacy body 24-26
24-26 method Legacy > method body 25-25
29-46 type Shape body 30-45
30-30 member Shape > #hidden
32-32 member Shape > other
38-40 method Shape > constructor body 39-39
42-43 method Shape > area
44-44 method Shape > quoted name
45-45 method Shape > #secret
49-51 method inObject body 50-50
53-56 function expression
";

#[test]
fn functions_assigned_to_properties_are_symbols() {
    let text = "// Parses.
exports.parse = function parse(text) {
  return text;
};
module.exports = class Parser {
  run() {}
};
Parser.prototype.stop = function () {
  this.end = () => {
    return 1;
  };
};
app.use = async (layer) => {
};
exports.a = exports.b = function () {
};
exports.limit = 1;
call().done = function () {
};
a['b'] = function () {
};
const handlers = {
  open: function () {
    return 1;
  },
  'close it': () => {
  },
  limit: 3, [c]: function () {
  }
};
";
    let expected = "\
1-4 function parse body 3-3 public
5-7 type module > exports body 6-6 public
6-6 method exports > run public
8-12 method Parser > stop body 9-11
9-11 function stop > end body 10-10
13-14 method app > use body empty
18-19 function done body empty
22-30 constant handlers body 23-29
23-25 method handlers > open body 24-24
26-27 method handlers > close it body empty
";
    for language in [Language::JavaScript, Language::TypeScript, Language::Tsx] {
        assert_eq!(table(language, text), expected, "{language:?}");
    }
}

#[test]
fn a_semicolon_may_begin_the_next_statement() {
    let text =
        "exports.a = function () {\n  return 1\n}\n\n;[1].map(f)\nconst b = () => {\n}\n;(c)()\n";
    let expected = "1-3 function a body 2-2 public\n6-7 function b body empty\n";
    assert_eq!(table(Language::JavaScript, text), expected);
    let text = "export class A {\n  protected b() {}\n  c() {}\n}\n";
    let expected = "1-4 type A body 2-3 public\n2-2 method A > b\n3-3 method A > c public\n";
    assert_eq!(table(Language::TypeScript, text), expected);
}

#[test]
fn typescript() {
    assert_eq!(table(Language::TypeScript, TYPESCRIPT), TYPESCRIPT_SYMBOLS);
}

pub(super) const TYPESCRIPT: &str = "/** Overloads. */
export function parse(text: string): number;
export function parse(text: Buffer): number;
export function parse(text: any): number {
  return 1;
}

@Component({
  selector: 'a',
})
export class Service {
  private readonly hidden = 1;
  @Input() name: string;
  @Input()
  title?: string;

  constructor(private http: Http) {}
  abstract draw(): void;
  protected run(): void {
    const local = 1;
  }
}

export abstract class Base {
  abstract draw(): void;
}

export interface Shape {
  /** Sides. */
  sides: number;
  area(): number;
  nested: { a: number };
}

export type Pair<T> = [T, T];
export enum Color {
  Red,
  Green = 'g', // Comment.
  Blue, Yellow,
}
declare module 'x' {
  function inModule(): void;
}
namespace A.B {
  export const inside = 1;
}
declare const ambient: string;
declare global {
  interface Window {}
}
export default (a: number) => ({
  a,
});
";

const TYPESCRIPT_SYMBOLS: &str = "\
1-2 function parse public
3-3 function parse public
4-6 function parse body 5-5 public
8-22 type Service body 12-21 public
12-12 member Service > hidden
13-13 member Service > name public
14-15 member Service > title public
17-17 method Service > constructor public
18-18 method Service > draw public
19-21 method Service > run body 20-20
24-26 type Base body 25-25 public
25-25 method Base > draw public
28-33 interface Shape body 29-32 public
29-30 member Shape > sides public
31-31 method Shape > area public
32-32 member Shape > nested public
35-35 type Pair public
36-40 type Color body 37-39 public
37-37 member Color > Red public
38-38 member Color > Green public
41-43 module x body 42-42
42-42 function x > inModule
44-46 module A.B body 45-45
45-45 constant A.B > inside
47-47 constant ambient
48-50 module global body 49-49
49-49 interface global > Window
51-53 function default public
";

#[test]
fn tsx() {
    assert_eq!(table(Language::Tsx, TSX), TSX_SYMBOLS);
}

pub(super) const TSX: &str = "export const View = ({ a }: Props) => {
  return <div>{a}</div>;
};
export default class extends React.Component<Props> {
  render() {
    return <p />;
  }
}
";

const TSX_SYMBOLS: &str = "\
1-3 function View body 2-2 public
4-8 type default body 5-7 public
5-7 method default > render body 6-6 public
";
