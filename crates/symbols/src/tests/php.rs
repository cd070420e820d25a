//! Symbols of PHP.

use super::{bodies, fixed, table};
use crate::Language;

#[test]
fn php() {
    assert_eq!(table(Language::Php, PHP), PHP_SYMBOLS);
}

pub(super) const PHP: &str = r"#!/usr/bin/env php
<?php
declare(strict_types=1);

namespace App\Models;

use A\B;

const LIMIT = 1;
define('OTHER', 2);

/** A shape. */
#[Attribute]
abstract class Shape extends Base implements Area
{
    use Loggable;

    // A limit.
    private const LIMIT = 1, MORE = 2;
    public const ONE = 1;
    protected string $name = 'a';
    public $a, $b;
    public string $full {
        get => $this->first;
        set(string $value) {
            $this->first = $value;
        }
    }

    public function __construct(private int $x)
    {
        $this->x = $x;
    }

    /**
     * The area.
     */
    #[Pure]
    abstract protected function area(): float;

    public static function make(): static { return new static; }

    public function text()
    {
        $run = function () {
            return 1;
        };
        $object = new class {
            public function inner()
            {
            }
        };
        function local()
        {
        }
        return <<<EOT
            a
          $b
            EOT;
    }
}

interface Area
{
    const UNIT = 1;
    public function area(): float;
}

trait Loggable
{
    private function log() {}
}

enum Suit: string
{
    case Hearts = 'H';
    case Spades = 'S';

    public function label(): string
    {
        return 'a';
    }
}

/* Adds. */
function add(int $a, int $b): int
{
    return $a + $b;
}

if (! function_exists('tap')) {
    /**
     * Taps.
     */
    function tap($value)
    {
    }
}

class A { function b() {} }

namespace Other {
    function inner() {
    }
}
?>
<html>
<?php function tail() { ?>
<p>
<?php } ?>
";

const PHP_SYMBOLS: &str = "\
9-9 constant LIMIT public
12-61 type Shape body 16-60 public
20-20 constant Shape > ONE public
21-21 member Shape > name
23-28 member Shape > full body 24-27 public
30-33 method Shape > __construct body 32-32 public
35-39 method Shape > area
41-41 method Shape > make public
43-60 method Shape > text body 45-59 public
49-51 method Shape > text > inner body empty public
53-55 function Shape > text > local body empty public
63-67 interface Area body 65-66 public
65-65 constant Area > UNIT public
66-66 method Area > area public
69-72 interface Loggable body 71-71 public
71-71 method Loggable > log
74-83 type Suit body 76-82 public
76-76 member Suit > Hearts public
77-77 member Suit > Spades public
79-82 method Suit > label body 81-81 public
85-89 function add body 88-88 public
92-97 function tap body empty public
100-100 type A public
102-105 module Other body 103-104 public
103-104 function Other > inner body empty public
";

#[test]
fn here_documents_and_text_are_fixed() {
    let text = "<?php\n$a = <<<A\n  x\n  A;\n$b = <<<'B'\ny\nB;\n?>\n<p>\n<?php\n$c = 'x\ny';\n";
    assert_eq!(fixed(Language::Php, text), [3, 4, 6, 7, 9, 10, 12]);
}

#[test]
fn bodies_are_between_braces() {
    bodies(&[
        (Language::Php, "<?php\nfunction a()\n{\n}\n", Some((4, 4, None))),
        (Language::Php, "<?php\nenum A {\n    case B;\n}\n", Some((3, 4, None))),
        (Language::Php, "<?php\nconst A =\n    1;\n", None),
    ]);
}

#[test]
fn tests_are_methods_of_a_test_case_or_have_an_attribute() {
    let text = "<?php\nclass A extends TestCase\n{\n    function testA() {}\n    #[Test]\n    function b() {}\n    function c() {}\n}\n";
    let expected = "2-8 type A body 4-7 public\n4-4 test A > testA public\n5-6 test A > b public\n7-7 method A > c public\n";
    assert_eq!(table(Language::Php, text), expected);
}
