// The flags that every command which serves takes: the settings, but for those that every command takes.
import { settingFlags } from '../../config.ts';
import type { CommandOption } from '../command.ts';

export const globalSettings = ['dataDir', 'databaseUrl'];

export const serveFlags: readonly CommandOption[] = settingFlags.filter(({ name }) => !globalSettings.includes(name));
