/** A number of servers, or a percentage such as `25%`; cumulative. */
export type StageSize = number | string;

export const defaultStages: readonly StageSize[] = [1, '25%', '100%'];

/**
 * Returns the number of servers in each stage. Stages that add no server are dropped; what the last one leaves out is one
 * more stage. A percentage is rounded up, so that it has at least one server.
 */
export function stageSizes(stages: readonly StageSize[], total: number): number[] {
  const sizes: number[] = [];
  let covered = 0;
  for (const size of [...stages, total]) {
    const end = Math.min(total, typeof size === 'number' ? size : Math.ceil((Number.parseInt(size, 10) * total) / 100));
    if (end <= covered) continue;
    sizes.push(end - covered);
    covered = end;
  }
  return sizes;
}

/** Returns the stage, from 1, of the server at a place, from 0. */
export function stageAt(sizes: readonly number[], place: number): number {
  let end = 0;
  for (const [index, size] of sizes.entries()) {
    end += size;
    if (place < end) return index + 1;
  }
  return sizes.length;
}

/** Whether each stage is larger than the one before, as far as that can be told without the number of servers. */
export function areGrowing(stages: readonly StageSize[]): boolean {
  const grows = (values: readonly number[]) => values.every((value, at) => at === 0 || value > (values[at - 1] ?? 0));
  const numbers = stages.filter((stage) => typeof stage === 'number');
  const shares = stages.filter((stage) => typeof stage === 'string').map((stage) => Number.parseInt(stage, 10));
  return grows(numbers) && grows(shares);
}
