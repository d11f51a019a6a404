// The variables of PostgreSQL's own clients that say how a connection is protected. The driver knows only one of them, and
// gives its modes another meaning, so they become part of the address.

const variables = {
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
} as const;

/** The address of a server with what the variables say and the address does not. */
export function withTlsVariables(url: string, environment: Readonly<Record<string, string | undefined>>): string {
  const said = new URLSearchParams(/\?(.*)/s.exec(url)?.[1]);
  if (said.has('ssl')) return url;
  const more = Object.entries(variables).flatMap(([name, variable]) => {
    const value = environment[variable] ?? '';
    return value === '' || said.has(name) ? [] : [`${name}=${encodeURIComponent(value)}`];
  });
  if (more.length === 0) return url;
  return `${url}${url.includes('?') ? '&' : '?'}${more.join('&')}`;
}
