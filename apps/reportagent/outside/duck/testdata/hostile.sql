select repeat('x', 2000000000)
select length(repeat('x', 2000000000))
select max(repeat(scenario, 1000000000)) from project_view
select lpad('x', 2000000000, 'y')
select rpad(scenario, 900000000, 'z') from project_view
select list(val) from project_view
select range(1000000000)
select * from range(100000000000)
select * from generate_series(1, 100000000000)
select unnest(range(1000000000))
select string_agg(scenario, '') from project_view
select scenario || scenario from project_view
select count(*) from project_view a, project_view b
select count(*) from project_view a cross join project_view b
select count(*) from project_view a join project_view b on true
select count(*) from project_view a, lateral (select a.val) b
select * from project_view natural join project_view
select * from project_view positional join project_view
select * from read_csv('FILE')
select * from read_csv_auto('FILE')
select * from read_text('FILE')
select * from read_blob('FILE')
select * from read_json('FILE')
select * from read_parquet('FILE')
select * from 'FILE'
from 'FILE'
select * from glob('/*')
select * from "FILE"
select content from read_text('FILE')
select * from sniff_csv('FILE')
select * from '/proc/self/environ'
copy (select 1) to 'NEW'
copy project_view to 'NEW' (format csv)
export database 'NEW'
attach 'NEW' as x
attach 'FILE' as y
create table t as select 1
create temp table t as select * from project_view
create view v as select 1
drop view project_view
create macro f(x) as x
insert into project_view values (1)
update project_view set val = 1
delete from project_view
alter table project_view add column x int
begin transaction
checkpoint
vacuum
analyze
pragma database_list
pragma threads=64
pragma memory_limit='100GB'
call pragma_version()
select * from pragma_version()
set memory_limit='100GB'
set enable_external_access=true
reset lock_configuration
set lock_configuration=false
set allowed_paths=['/']
load httpfs
install httpfs
install 'NEW'
use memory
explain select * from project_view
explain analyze select * from project_view
describe project_view
show tables
summarize project_view
select * from duckdb_settings()
select * from duckdb_functions()
select * from information_schema.tables
select * from pg_catalog.pg_tables
select * from sqlite_master
select * from duckdb_views()
select current_setting('threads')
select getenv('HOME')
select version()
select current_user
select query('select 1')
select * from query('select 1')
select * from query_table('project_view')
select 1; select 2
select 1; drop view project_view
select 1;; attach 'NEW' as x
; select 1; copy (select 1) to 'NEW'
select 1 /* */; set threads=1
with recursive r as (select 1 union all select 1 from r) select count(*) from r
with x as (select * from project_view) select * from x
select (select count(*) from project_view)
select exists(select 1)
select val from project_view union all select val from project_view
select 1 except select 2
values (1), (2)
select current_date
select count(*) from project_view where current_user = 'x'
select avg(val) from project_view
select sum(val) / 3 from project_view
select val / 2 from project_view
select sqrt(val) from project_view
select cast(val as double) from project_view
select val::float from project_view
select sum(val * 1e0) from project_view
select try_cast('nan' as double)
select cast(sum(val) as bigint) from project_view
select random()
select now()
select uuid()
select row_number() over () from project_view
select sum(val) over (order by val) from project_view
select columns('v.*') from project_view
select columns(*) from project_view
select * exclude (val) from range(5)
select * from project_view using sample 10
select * from project_view tablesample 10%
select * from project_view limit 10%
select * from project_view qualify 1 = 1
pivot project_view on fuel using sum(val)
unpivot project_view on val into name n value v
select [x for x in [1, 2]]
select list_transform([1], x -> x)
select {'a': 1}
select map {'a': 1}
select array_agg(val) from project_view
select regexp_matches(scenario, '(a+)+$') from project_view
select scenario from memory.main.project_view
select $1
select ?
select val from project_view group by cube (scenario, fuel, year, val)
select count(*) from project_view group by grouping sets ((year), ())
select * from project_view for update
prepare x as select 1
execute x
deallocate x
comment on view project_view is 'x'
select count(*) from project_view where val in (select val from project_view)
select '
select "
/*
;
select
select * from project_view at (version => 1)
select * from (values (1)) t
select * from project_view, range(3)
select * from (select * from read_csv('FILE'))
select 1 from project_view where (select 1 from read_text('FILE')) = 1
select case when true then read_text('FILE') end
select coalesce(getvariable('x'), 1)
set variable x = 1
select sum(repeat('1', 9)) from project_view
select length(scenario) from project_view order by repeat('x', 1000000000)
select 1 having repeat('x', 9) = 'x'
select 1 from project_view limit (select 5)
select 1 from project_view where printf('%999999999d', 1) = ''
select format('{:>999999999}', 'x')
select bar(1, 0, 10, 2000000000)
select 9999999999999999999999999999999999999999 * 9
select hash(1)
select md5('x')
select to_json(project_view) from project_view
select json_execute_serialized_sql('x')
select project_view from project_view
select * from json_execute_serialized_sql('x')
select nextval('x')
select txid_current()
select write_log('x')
select * from enable_logging('x')
call enable_logging()
select error('x')
select sleep_ms(100000)
select add_parquet_key('a', 'b')
select * from test_all_types()
select * from repeat_row(1, num_rows = 1000000000)
select * from repeat(1, 100000000000)
select bitstring('1', 2000000000)
select array_resize([1], 2000000000)
select stem('x')
select sum(length(scenario)) ^ 99 from project_view
select 2 ** 9999 from project_view
select 1 << 60
select factorial(1000)
select gamma(1)
select val % 0 from project_view
select icu_sort_key('x', 'y')
select strftime(now(), '%Y')
select date '2020-01-01'
select interval 1 year
select blob '\u0000'
