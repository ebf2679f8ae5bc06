/** Orders two versions by the precedence of semantic versioning: negative if `a` is older. Build metadata is ignored. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parsed(a), parsed(b)];
  for (const index of [0, 1, 2]) {
    const difference = (left.numbers[index] ?? 0) - (right.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  // A version without a pre-release is newer than its pre-releases.
  if (left.pre.length === 0 || right.pre.length === 0) return right.pre.length - left.pre.length;
  for (let index = 0; index < Math.max(left.pre.length, right.pre.length); index++) {
    const difference = compareParts(left.pre[index], right.pre[index]);
    if (difference !== 0) return difference;
  }
  return 0;
}

function parsed(version: string): { numbers: number[]; pre: string[] } {
  const [bare = ''] = version.split('+');
  const dash = bare.indexOf('-');
  const core = dash < 0 ? bare : bare.slice(0, dash);
  return { numbers: core.split('.').map(Number), pre: dash < 0 ? [] : bare.slice(dash + 1).split('.') };
}

function compareParts(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1;
  const [isNumber, otherIsNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber && otherIsNumber) return Number(a) - Number(b);
  // Numbers are older than words.
  if (isNumber !== otherIsNumber) return isNumber ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
