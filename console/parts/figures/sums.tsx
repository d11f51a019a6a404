// Sums of different currencies stand side by side; they are never added up.
import { type Amount, inUnits } from '../../data/figures/amounts.ts';
import { moneyText } from '../../text/locale.ts';

export function Sums({ amounts, units }: { readonly amounts: readonly Amount[]; readonly units: readonly string[] }) {
  return inUnits(amounts, units).map(({ amount, unit }) => (
    <span key={unit} className="figures sum">
      {moneyText(amount, unit)}
    </span>
  ));
}

export function sumsText(amounts: readonly Amount[], units: readonly string[]): string {
  return inUnits(amounts, units)
    .map(({ amount, unit }) => moneyText(amount, unit))
    .join(' ');
}
