-- New words wait in a list until there are enough of them: to index them together costs a third. A search reads the list as
-- well, so it misses nothing. How long the list may be is a setting of the sessions that write.
alter index orrery.search_words set (fastupdate = on);
