// A program of its own, which the watch of a killed process runs (see `watch`): stops the server of the data folder that
// its argument names, unless others are connected.
import { prepareDataFolder } from './data-folder.ts';
import { takeDownIfUnused } from './postmaster.ts';
import { countStrangers } from './server-status.ts';
import { stillUsed } from './watch.ts';

const [, , dataDir] = process.argv;
if (dataDir === undefined) throw new Error('Give the data folder.');
const folder = await prepareDataFolder(dataDir);
await takeDownIfUnused(folder);
// Other processes of Orrery have a watch of their own. A server that does not answer has stopped, or is being started.
const strangers = await countStrangers(folder).catch(() => 0);
if (strangers > 0) process.exitCode = stillUsed;
