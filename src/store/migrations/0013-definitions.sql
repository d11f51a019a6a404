-- Object types, properties, options and association types become records when somebody first looks at them. The document of
-- each org is compiled from them: it has what is in the trash, the columns of facts, and the ids of the records. A release
-- before this one would take what is in the trash for live.
-- It is read as a whole whenever something of an org has changed, so it is kept as the text that is sent.
alter table orrery.custom_schema alter column document type json using document::json;
alter table orrery.custom_schema alter column document set storage external;
comment on table orrery.custom_schema is 'The schema of each org, compiled from the records that define it.';
