// How much garbage the heap may gather before V8 collects it. V8 lets a heap grow to four times what is alive: three orgs
// with large requests of every kind made it 240 MB around 40 MB that were alive, and the process 465 MB. Half as much
// again as what is alive would keep it small, but costs a tenth of the speed of large batches. So a small heap may grow
// fourfold, and a larger one up to a size that suffices for both.
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { bounds } from '../../base/limits.ts';

/** An entry of one collection, of which the types do not list the detail. */
type CollectionEntry = PerformanceEntry & { readonly detail: { readonly kind: number } };

/** Ends with `close`. */
export function limitGarbage(): { close(): void } {
  const observer = new PerformanceObserver((list) => {
    const entries = list.getEntries() as unknown as readonly CollectionEntry[];
    if (entries.some(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR)) setGrowth();
  });
  setGrowth();
  observer.observe({ entryTypes: ['gc'] });
  return { close: () => observer.disconnect() };
}

/** V8 reads the percentage when it next collects garbage. */
function setGrowth(): void {
  const { used_heap_size: aliveBytes, total_heap_size: heapBytes, external_memory: outsideBytes } = getHeapStatistics();
  const besideBytes = process.memoryUsage.rss() - heapBytes;
  setFlagsFromString(`--heap-growing-percent=${growthPercent(aliveBytes, { outsideBytes, besideBytes })}`);
}

interface Others {
  /** What objects hold outside the heap, such as bytes on their way. */
  readonly outsideBytes: number;
  /** All memory of the process beside the heap: that too, and what the allocator has not given back to the system. */
  readonly besideBytes: number;
}

/** What there is beside the heap takes from its room. */
export function growthPercent(aliveBytes: number, { outsideBytes, besideBytes }: Others): number {
  const { heapBytes, processBytes, heapGrowthLeast, heapGrowthMost } = bounds.cli;
  const room = Math.min(heapBytes - outsideBytes, processBytes - besideBytes);
  const wanted = Math.round((room / aliveBytes - 1) * 100);
  return Math.max(heapGrowthLeast, Math.min(wanted, heapGrowthMost));
}
