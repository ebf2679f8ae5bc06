/** A measured value, the limit it is compared with in the same run, and the promised ratio. */
export interface Figure {
  readonly claim: string;
  readonly value: number;
  readonly unit: string;
  /** Name and value of the comparison in the same run. */
  readonly against?: { readonly name: string; readonly value: number };
  readonly ratio?: number;
  readonly promise?: { readonly atLeast: number } | { readonly atMost: number };
  readonly note?: string;
}

export interface Bench {
  readonly name: string;
  /** `only` chooses the rows of a bench with many, by a part of their names. */
  run(repetitions: number, only?: string): Promise<Figure[]>;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export const kept = ({ ratio, promise }: Figure): boolean | undefined => {
  if (ratio === undefined || promise === undefined) return undefined;
  return 'atLeast' in promise ? ratio >= promise.atLeast : ratio <= promise.atMost;
};
