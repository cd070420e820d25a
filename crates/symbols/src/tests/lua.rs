//! Symbols of Lua.

use super::{bodies, fixed, table};
use crate::Language;

#[test]
fn lua() {
    assert_eq!(table(Language::Lua, LUA), LUA_SYMBOLS);
}

pub(super) const LUA: &str = r#"#!/usr/bin/env lua
local M = {}

--- A limit.
local LIMIT = 1
local a, b = 1, 2
GLOBAL = 3
M.value = 4

---Adds.
---@param a number
function M.add(a, b)
  return a + b
end

function M.sub.deep.f(a) end

function M:method()
  local inner = function()
    return 1
  end
  local function nested()
    return 2
  end
  return [[
a
  b]]
end

--[[ Long
  comment ]]
local function helper(x)
end

M.call = function(self)
  return 1
end

local run = function() return 1 end

handler = function()
  return 1
end

M["x"] = function() end

local config = {
  a = 1,
  on_attach = function(client)
    return 1
  end,
}

if x then
  function cond()
  end
end

describe("a", function()
  it("b", function()
    local z = 1
  end)
end)

return {
  setup = function()
  end,
}
"#;

const LUA_SYMBOLS: &str = "\
2-2 constant M
4-5 constant LIMIT
7-7 constant GLOBAL public
8-8 constant M > value public
10-14 function M > add body 13-13 public
16-16 function M.sub.deep > f public
18-28 method M > method body 19-27 public
19-21 function method > inner body 20-20
22-24 function method > nested body 23-23
30-33 function helper body empty
35-37 function M > call body 36-36 public
39-39 function run
41-43 function handler body 42-42 public
47-52 constant config body 48-51
49-51 function config > on_attach body 50-50
55-56 function cond body empty public
66-67 function setup body empty public
";

#[test]
fn lines_in_long_brackets_are_fixed() {
    let text = "local a = [[\n  x\n]]\nlocal b = [==[\ny\n]==]\n--[[ c\n  d ]]\n";
    assert_eq!(fixed(Language::Lua, text), [2, 3, 5, 6]);
}

#[test]
fn bodies_end_with_a_line_of_their_own() {
    bodies(&[
        (Language::Lua, "function a()\nend\n", Some((2, 2, None))),
        (Language::Lua, "local a = function()\nend\n", Some((2, 2, None))),
        (Language::Lua, "function a()\n  -- One.\n  b()\nend\n", Some((2, 4, None))),
        (Language::Lua, "function a() end\n", None),
        (Language::Lua, "local a = {\n  b = 1\n}\n", Some((2, 3, Some(19)))),
        (Language::Lua, "local a = {\n  b = 1,\n}\n", Some((2, 3, None))),
        (Language::Lua, "a.b = {\n  c,\n}\n", Some((2, 3, None))),
    ]);
}
