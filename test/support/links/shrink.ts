// From a long list of steps that leads to a finding to a short one that leads to a finding too: parts are left out,
// ever smaller ones, as long as something is found without them.
import type { Step } from './steps.ts';

export async function smallestSteps(
  steps: readonly Step[],
  findingsOf: (steps: readonly Step[]) => Promise<readonly string[]>,
  triesMost: number,
): Promise<{ readonly steps: readonly Step[]; readonly findings: readonly string[] }> {
  let best = { steps, findings: await findingsOf(steps) };
  let tries = 1;
  const attempt = async (fewer: readonly Step[]): Promise<boolean> => {
    if (tries >= triesMost) return false;
    tries++;
    const findings = await findingsOf(fewer);
    if (findings.length === 0) return false;
    best = { steps: fewer, findings };
    return true;
  };
  if (best.findings.length === 0) return best;
  for (let size = Math.ceil(steps.length / 2), before = 0; size >= 1; ) {
    before = best.steps.length;
    for (let end = before; end > 0; end -= size) {
      const start = Math.max(0, end - size);
      await attempt(best.steps.filter((_, index) => index < start || index >= end));
    }
    // Single steps are tried again as long as that helps: what one needs may have gone with another.
    if (size > 1 || best.steps.length === before) size = Math.floor(size / 2);
  }
  for (let index = best.steps.length - 1; index >= 0; index--) {
    for (let place = (best.steps[index]?.items.length ?? 1) - 1; place >= 0; place--) {
      const step = best.steps[index] as Step;
      const items = step.items.filter((_, each) => each !== place);
      if (items.length > 0) await attempt(best.steps.with(index, { ...step, items }));
    }
  }
  return best;
}
