//! Documents that several tests use.

/// A Markdown document that contains every kind of element.
pub const GUIDE: &str = "\
---
title: Front Title
date: 2026-01-01
tags: [a, b]
---

# Project `Overview` {#top}

Intro with database.

## Installation ##

```bash
# not a heading
make install
```

### Linux

text <a id=\"linux-anchor\"></a>

> ## Quoted
> body

- item
  ~~~
  no language
  ~~~

## Usage

[LOG-001] - first entry
body

# Second
";

/// An INI file.
pub const APP: &str = "\
; settings
; of the application

global = 1

[database]
host = localhost ; here
port: 5432


# where things are kept
[cache]
size=1
";
