// The flags that every command which serves takes.
import type { CommandOption } from './command.ts';

export const serveFlags: readonly CommandOption[] = [
  { flags: '--host <ADDRESS>', description: 'the address to listen on (default: 127.0.0.1)' },
  { flags: '--port <PORT>', description: 'the port to listen on; 0 takes a free one (default: 4610)' },
  { flags: '--workers <N>', description: 'how many processes serve (default: 1)' },
  { flags: '--public-url <URL>', description: 'where clients reach the service, if not at the host they send' },
  { flags: '--cors-origin <URL>', description: 'an origin whose pages may call; may be repeated', repeatable: true },
  { flags: '--log-level <LEVEL>', description: 'the least severe messages to log (default: info)' },
];
