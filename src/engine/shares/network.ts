// The network of an address: what one client can be assumed to have, so that its requests are counted together.

/** The owner of one IPv6 address usually has its network of 2^64 addresses, so the network counts as one address. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').filter((group) => group !== '').length;
  const whole = [...groups, ...Array.from({ length: missing }, () => '0'), ...(tail?.split(':') ?? [])];
  return `${whole.slice(0, 4).join(':')}::/64`;
}
