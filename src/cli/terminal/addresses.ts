// Addresses of the service, as people on this machine open them.
import type { Config } from '../../config.ts';
import { linkAddress } from '../../http/auth/routes.ts';

/** The address to use on this machine: a service that listens on every interface is reached at localhost. */
export function shownAddress({ publicUrl }: Pick<Config, 'publicUrl'>, url: string): string {
  return publicUrl ?? url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

/** Where a link leads, if the service runs with the same settings. */
export function consoleLink(config: Config, token: string): string {
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return linkAddress(new URL(shownAddress(config, `http://${host}:${config.port}`)).origin, token);
}
