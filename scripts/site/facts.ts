// Checks that the numbers in the guide are those of the program. A page has the number and, in a comment after it, its
// name: 500<!-- limits.pageSize --> or 8 KiB<!-- http.urlBytes -->. A wrong number or an unknown name stops the build.
import { anonymousPolicy, bounds, limits, orgPolicyDefault, proxyPolicy } from '../../src/base/limits.ts';

const tables: Readonly<Record<string, Readonly<Record<string, number | string>>>> = {
  limits,
  ...bounds,
  orgPolicy: orgPolicyDefault,
  anonymousPolicy,
  proxyPolicy,
};

const named = /([0-9][0-9,]*(?: [KMG]iB| bytes)?)<!-- ([a-zA-Z]+)\.([a-zA-Z]+) -->/g;

/** Checks all numbers and returns the text without their names. */
export function checkNumbers(text: string): string {
  const checked = text.replaceAll(named, (whole, told: string, table: string, name: string) => {
    const value = tables[table]?.[name];
    if (typeof value !== 'number') throw new Error(`${whole} does not name a number in src/base/limits.ts.`);
    const right = /[a-z]/.test(told) ? inBytes(value) : value.toLocaleString('en-US');
    if (told !== right) throw new Error(`${whole} should be ${right}.`);
    return told;
  });
  const left = /<!--.*?-->/.exec(checked)?.[0];
  if (left !== undefined) throw new Error(`${left} does not follow a number.`);
  return checked;
}

function inBytes(value: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  let unit = 0;
  let rest = value;
  for (; rest >= 1_024 && rest % 1_024 === 0 && unit < units.length - 1; unit++) rest /= 1_024;
  return `${rest} ${units[unit]}`;
}
