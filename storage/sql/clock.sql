-- name: advance
-- Number this writing transaction. The row lock it takes orders all writers of one owner until commit.
insert into pm.owner_clock (tenant_id, owner_id, miv, engine) values (%(tenant)s, %(owner)s, 1, %(engine)s)
on conflict (tenant_id, owner_id) do update set miv = pm.owner_clock.miv + 1
returning miv, oldest_miv, engine

-- name: read
-- The owner's clock and the tenant's shared one, in one statement.
select owner_id, miv, oldest_miv, engine from pm.owner_clock
where tenant_id = %(tenant)s and owner_id in (%(owner)s, '*')

-- name: take_positions
-- Reserve places for dialogue turns; the caller holds the clock's lock.
update pm.owner_clock set next_pos = next_pos + %(count)s
where tenant_id = %(tenant)s and owner_id = %(owner)s
returning next_pos - %(count)s as first

-- name: hold
-- The clock's lock alone.
select miv from pm.owner_clock where tenant_id = %(tenant)s and owner_id = %(owner)s for update

-- name: see_as
-- Whose private rows this transaction sees from here on.
select set_config('pm.agent', %(as_agent)s, true)

-- name: unseen
-- A live node that an embedder has neither seen nor refused, if there is one.
select vid from pm.context_catalog
where tenant_id = %(tenant)s and owner_id = %(owner)s and died = 9223372036854775807
except select vid from pm.vector
where tenant_id = %(tenant)s and owner_id = %(owner)s and engine = %(engine)s
except select vid from pm.vector_refusal
where tenant_id = %(tenant)s and owner_id = %(owner)s and engine = %(engine)s
limit 1

-- name: switch_engine
-- Make another embedder answer this owner's queries.
update pm.owner_clock set engine = %(engine)s
where tenant_id = %(tenant)s and owner_id = %(owner)s and engine <> %(engine)s
returning miv
