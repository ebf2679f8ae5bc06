export interface Position {
  line: number;
  column: number;
}

/**
 * Returns the position of an offset, counted from 1. The line counter of the YAML library loses lines in malformed
 * text, where positions matter most.
 */
export function lineTable(text: string): (offset: number) => Position {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    const at = Math.min(offset, text.length);
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] as number) <= at) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: at - (starts[low] as number) + 1 };
  };
}
