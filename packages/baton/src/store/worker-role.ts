/**
 * The rights that a machine of a fleet needs in the database they share, and no more. To be run once by the owner of the tables,
 * after the first machine was up; again after an update of Baton. Statements can only be added: not even a stolen login can delete a removal.
 */
export const WORKER_ROLE = `do $$ begin
  if not exists (select from pg_roles where rolname = 'baton_worker') then
    create role baton_worker nologin;
  end if;
end $$;
revoke all on all tables in schema baton, baton_fleet from baton_worker;
grant usage on schema baton, baton_fleet to baton_worker;
grant select on baton.kysely_migration, baton.kysely_migration_lock to baton_worker;
grant select, insert, update on baton.leases to baton_worker;
grant select, insert (fleet, text, signature) on baton.fleet_statements to baton_worker;
grant usage on sequence baton.fleet_statements_seq_seq to baton_worker;
grant select, insert, update, delete on baton.fleet_asks to baton_worker;
grant select, insert, update, delete on all tables in schema baton_fleet to baton_worker;
-- One login for each machine:
-- create role laptop login password '...' in role baton_worker;
`
