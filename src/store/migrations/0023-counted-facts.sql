-- What dashboards ask for most is counted from indexes, which have a fraction of the bytes of the facts, in the order of the groups.
-- A million deals take some ten seconds, in which nothing can be written.

-- Groups by what records are linked to first: deals by company, contacts by stage. Equal values share an entry.
create index fact_first_end on orrery.fact (org_id, type_id, u1);

-- Deals by stage, with their amounts, by unit and by the day on which they close. It is for deals alone (type 3), so that other
-- records cost no more to write.
create index fact_deal_stage on orrery.fact (org_id, type_id, u2, s1, e1) include (n1) where type_id = 3;

-- Time in each stage of deals: the timers alone (type 10).
create index fact_timer_stage on orrery.fact (org_id, type_id, u4) include (n1) where type_id = 10;
