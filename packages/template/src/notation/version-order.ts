/**
 * Compares versions of templates and programs numerically, with a release after its pre-releases. Expects semantic versions;
 * anything else still gets a stable order.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < Math.max(left.numbers.length, right.numbers.length); i++) {
    const difference = (left.numbers[i] ?? 0) - (right.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  if (left.label === right.label) return 0;
  if (left.label === '') return 1;
  if (right.label === '') return -1;
  return left.label.localeCompare(right.label, 'en', { numeric: true });
}

function parts(version: string): { numbers: number[]; label: string } {
  const [core = '', ...label] = (version.split('+')[0] ?? '').split('-');
  return { numbers: core.split('.').map((n) => Number.parseInt(n, 10) || 0), label: label.join('-') };
}
