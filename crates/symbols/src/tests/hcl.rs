//! Symbols of HCL.

use super::{bodies, fixed, table};
use crate::Language;

#[test]
fn hcl() {
    assert_eq!(table(Language::Hcl, HCL), HCL_SYMBOLS);
}

pub(super) const HCL: &str = r#"terraform {
  required_version = ">= 1"
  required_providers {
    aws = {
      source = "a"
    }
  }
}

provider "aws" {
  region = "a"
  alias  = "west"
}

# A bucket.
resource "aws_s3_bucket" "main" {
  bucket = "a"
  policy = <<-EOT
    a
  EOT
  dynamic "tag" {
    for_each = var.a
    content {
      b = 1
    }
  }
  tags = {
    A = 1
  }
}

data "aws_iam_policy" "a" {}

/* A variable. */
variable "name" {
  type    = string
  default = "a"
}

output "id" { value = 1 }

locals {
  # One.
  a = 1
  b = {
    c = 2
  }
}

module "vpc" {
  source = "a"
}

moved {
  from = a.b
  to   = a.c
}

check "health" {
}

name = "x"
list = [
  1,
]
resource aws_x y {
}
"#;

const HCL_SYMBOLS: &str = "\
1-8 object terraform body 2-7 public
10-13 object provider.aws.west body 11-12 public
15-30 object aws_s3_bucket.main body 17-29 public
32-32 object data.aws_iam_policy.a public
34-38 object var.name body 36-37 public
40-40 object output.id public
42-48 object locals body 43-47 public
43-44 constant locals > local.a public
45-47 constant locals > local.b public
50-52 object module.vpc body 51-51 public
54-57 object moved body 55-56 public
59-60 object check.health body empty public
62-62 constant name public
63-65 constant list public
66-67 object aws_x.y body empty public
";

#[test]
fn here_documents_are_fixed() {
    let text = "locals {\n  a = <<A\nx\nA\n  b = <<-B\n    y\n  B\n}\n";
    assert_eq!(fixed(Language::Hcl, text), [3, 4, 6, 7]);
}

#[test]
fn bodies_are_between_braces() {
    bodies(&[
        (Language::Hcl, "locals {\n}\n", Some((2, 2, None))),
        (Language::Hcl, "locals {\n  # One.\n  a = 1\n}\n", Some((2, 4, None))),
        (Language::Hcl, "variable \"a\" {}\n", None),
        (Language::Hcl, "variable \"a\" { default = 1 }\n", None),
    ]);
}

#[test]
fn blocks_in_blocks_and_their_attributes_are_no_symbols() {
    let text = "job \"a\" {\n  group \"b\" {\n    c = 1\n  }\n}\n// D.\nd = 1 # E.\n";
    let expected = "1-5 object job.a body 2-4 public\n6-7 constant d public\n";
    assert_eq!(table(Language::Hcl, text), expected);
}
