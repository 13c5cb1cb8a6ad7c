-- +goose Up

-- What patterns over seasons are counted by, beside what an answer had before. Null is
-- of answers from before anybody noted it: not that no satellite watched.
alter table airshed.answer
  add column satellites text[],
  add column district text not null default '', -- of the largest share, with its state; empty where no districts are known
  add constraint answer_watched check (cardinality(satellites) <= 40 and length(district) <= 250);
