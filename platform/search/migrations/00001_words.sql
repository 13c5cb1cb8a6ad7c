-- +goose Up

-- words_of takes a text apart as people search for it: lower case, cut at spaces
-- and marks, never inside a conjunct of Devanagari. At most 40 words of at most 40
-- letters; what comes after is not found by its words.
-- +goose StatementBegin
create function gavel_sys.words_of(t text) returns setof text
language sql immutable strict parallel safe as $$
  select distinct left(w, 40) collate "C"
  from (select w from regexp_split_to_table(lower(normalize(left(t, 1000), NFC)),
    '[\s\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2010-\u206f\u0964\u0965]+') w where w <> '' limit 40) taken
$$;
-- +goose StatementEnd
grant execute on function gavel_sys.words_of(text) to gavel_app, gavel_system;

-- A word of a case's reference or title, or of what a proposal would do. A list of
-- its own and not an index on an expression: behind the wall between organisations
-- PostgreSQL uses an index only for operators that are known to leak nothing, and
-- those of text search are not among them; comparing words is.
create table gavel.word (
  org    text not null,
  kind   text not null,
  object text not null,
  word   text collate "C" not null,
  primary key (org, kind, object, word),
  constraint word_form check (kind in ('case', 'proposal') and length(object) between 1 and 60 and length(word) between 1 and 40)
);
select gavel_sys.keep_apart('gavel.word');
create index word_near on gavel.word (org, word, kind, object);
grant select, insert, delete on gavel.word to gavel_app, gavel_system;

-- The words come with the row and go when its text is erased.
-- +goose StatementBegin
create function gavel.case_words() returns trigger language plpgsql as $$
begin
  insert into gavel.word (org, kind, object, word)
    select a.org, 'case', a.id, w from added a cross join lateral gavel_sys.words_of(a.ref || ' ' || a.title) w
    on conflict do nothing;
  return null;
end $$;

create function gavel.case_words_again() returns trigger language plpgsql as $$
begin
  delete from gavel.word where org = new.org and kind = 'case' and object = new.id;
  insert into gavel.word (org, kind, object, word)
    select new.org, 'case', new.id, w from gavel_sys.words_of(new.ref || ' ' || new.title) w;
  return null;
end $$;

create function gavel.proposal_words() returns trigger language plpgsql as $$
begin
  insert into gavel.word (org, kind, object, word)
    select a.org, 'proposal', a.id, w from added a cross join lateral gavel_sys.words_of(a.line) w
    on conflict do nothing;
  return null;
end $$;

create function gavel.proposal_words_again() returns trigger language plpgsql as $$
begin
  delete from gavel.word where org = new.org and kind = 'proposal' and object = new.id;
  insert into gavel.word (org, kind, object, word)
    select new.org, 'proposal', new.id, w from gavel_sys.words_of(new.line) w;
  return null;
end $$;
-- +goose StatementEnd
create trigger case_words after insert on gavel.case
  referencing new table as added for each statement execute function gavel.case_words();
create trigger case_words_again after update on gavel.case
  for each row when (old.title <> new.title or old.ref <> new.ref) execute function gavel.case_words_again();
create trigger proposal_words after insert on gavel.proposal
  referencing new table as added for each statement execute function gavel.proposal_words();
create trigger proposal_words_again after update on gavel.proposal
  for each row when (old.line <> new.line) execute function gavel.proposal_words_again();

-- What is there already, one organisation after the other: the owner of the
-- tables is held to the wall, too.
-- +goose StatementBegin
do $$
declare
  one text;
begin
  for one in select org from gavel_sys.organisation loop
    perform set_config('gavel.org', one, true);
    insert into gavel.word (org, kind, object, word)
      select c.org, 'case', c.id, w from gavel.case c cross join lateral gavel_sys.words_of(c.ref || ' ' || c.title) w where c.org = one
      on conflict do nothing;
    insert into gavel.word (org, kind, object, word)
      select p.org, 'proposal', p.id, w from gavel.proposal p cross join lateral gavel_sys.words_of(p.line) w where p.org = one
      on conflict do nothing;
  end loop;
  perform set_config('gavel.org', '', true);
end $$;
-- +goose StatementEnd
