// The attacker as a process of its own, so that its work does not disturb what is measured. The parent sends the world
// and the name of an attack, then how long it lasts, and gets what came of it. Without a parent it ends.
import type { NoisyWorld, Tally } from './attack.ts';
import { attacks } from './attacks.ts';

type Order = { readonly arm: string; readonly world: NoisyWorld } | { readonly attackForMs: number };

let armed: ((until: number) => Promise<Tally>) | undefined;

async function obey(order: Order): Promise<void> {
  if ('arm' in order) {
    const attack = attacks.find(({ name }) => name === order.arm);
    if (attack === undefined) throw new Error(`There is no attack ${order.arm}.`);
    armed = attack.arm(order.world);
    process.send?.({ armed: true });
    return;
  }
  // An attack that does not end by itself is ended.
  const guard = setTimeout(() => process.exit(3), order.attackForMs + 20_000);
  const before = process.cpuUsage();
  const tally = await armed?.(performance.now() + order.attackForMs);
  clearTimeout(guard);
  const { user, system } = process.cpuUsage(before);
  process.send?.({ tally, cpuMs: Math.round((user + system) / 1_000) });
}

process.on('message', (order: Order) => {
  obey(order).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exit(1);
  });
});
process.on('disconnect', () => process.exit(0));
