// A way to the database that breaks at the worst moment: when bytes that a test names have been sent, either before they
// reach the server or after it has acted on them and before its word comes back. Nobody can tell the two apart.
import { connect, createServer, type Socket } from 'node:net';
import { proxied, targetOf } from './proxy.ts';
