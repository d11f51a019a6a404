-- Who made a link: a member, or a key of no member. What they have handed out works no more when they may no longer hand it out.
-- Null for the operator.
alter table orrery.sign_in_link add column made_by text collate "C";
