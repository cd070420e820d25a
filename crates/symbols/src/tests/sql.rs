//! Objects that SQL creates.

use super::{signatures, table};
use crate::Language;

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(table(Language::Sql, text), expected, "{text}");
}

#[test]
fn sql() {
    check(SQL, SQL_SYMBOLS);
    let found = signatures(Language::Sql, SQL);
    assert_eq!(found[0].1, "CREATE TABLE IF NOT EXISTS public.\"Users\"");
    assert_eq!(found[1].1, "create unique index concurrently idx on users (id)");
}

pub(super) const SQL: &str = "-- A dump.

SET x = 'CREATE TABLE no (id int);';

-- Users;
/* of the
   site; */
CREATE TABLE IF NOT EXISTS public.\"Users\" (
  id int DEFAULT (1), -- it's; one
  name text CHECK (name <> ';')
); -- The end;
create unique index concurrently idx on users (id);
CREATE INDEX ON users (id);
CREATE VIEW v AS
SELECT 1;
CREATE TABLE a (x int); CREATE TABLE b (x int);
SELECT 1; CREATE TABLE c (x int);

CREATE OR REPLACE FUNCTION s.f(a int) RETURNS int AS $body$
BEGIN
  EXECUTE $$CREATE TABLE no (id int);$$;
  RETURN ';';
END;
$body$ LANGUAGE plpgsql;
CREATE FUNCTION g() RETURNS int AS '
  SELECT ''1'';
' LANGUAGE sql;
CREATE TRIGGER t AFTER INSERT ON users FOR EACH ROW
BEGIN
  SELECT CASE WHEN 1 THEN 2 END;
  UPDATE x SET y = 1;
END;
CREATE TABLE d AS
  SELECT (
    1
  )
;
\\d users
CREATE TYPE mood AS ENUM ('sad', E'o\\'k;');
COPY a (x) FROM stdin;

COPY a (x) FROM stdin;
CREATE TABLE no (x int);
\\.
\\copy a from STDIN
it's data;
\\.
CREATE TEMP SEQUENCE seq START 1;;
CREATE RULE r AS ON INSERT TO d DO ALSO (
  SELECT 1; SELECT 2
);
CREATE POLICY \"p q\" ON users
  USING (true);
CREATE SCHEMA AUTHORIZATION joe;
/* /* nested */ ; */
CREATE ROLE last
";

const SQL_SYMBOLS: &str = "\
5-11 object public.Users body 9-10 public
12-12 object idx public
14-15 object v body 15-15 public
19-24 function s.f body 20-23 public
25-27 function g body 26-26 public
28-32 object t body 30-31 public
33-37 object d body 34-36 public
39-39 type mood public
48-48 object seq public
52-53 object p q public
55-56 object last public
";

#[test]
fn mysql() {
    let text = "\
CREATE TABLE `a``b` (
  `x` varchar(9) DEFAULT 'it\\'s;' -- ';
) ENGINE=InnoDB;
# It's a comment;
CREATE DEFINER=`root`@`%` PROCEDURE p()
BEGIN
  IF x THEN SELECT ';'; END IF;
END;
DELIMITER //
CREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW
BEGIN
  SET x = 1;
END//
DELIMITER ;
/*!50001 CREATE VIEW v AS SELECT 1 */;
CREATE TABLE b (x int);
";
    let expected = "\
1-3 object a`b body 2-2 public
4-8 function p body 7-7 public
10-13 object t body 12-12 public
16-16 object b public
";
    check(text, expected);
}

#[test]
fn batches_end_statements() {
    let text = "\
CREATE TABLE [dbo].[a b] (
  x int
)
GO
-- Reads.
CREATE PROCEDURE p AS
BEGIN
  SELECT 1;
END
go
CREATE INDEX i ON a (x);
";
    let expected = "\
1-4 object dbo.a b body 2-2 public
5-10 function p body 8-8 public
11-11 object i public
";
    check(text, expected);
    let text = "CREATE FUNCTION f IS\n  x INT;\nBEGIN\n  x := 1;\nEND;\n/\nCREATE ROLE r;\n";
    check(text, "1-6 function f body 4-4 public\n7-7 object r public\n");
}

#[test]
fn texts_that_are_not_closed_have_no_more_objects() {
    for open in ["'", "\"", "/*", "$$"] {
        let text = format!("CREATE ROLE a;\nSELECT {open};\nCREATE ROLE b;\n");
        check(&text, "1-1 object a public\n");
    }
}
