/** A copy with null wherever a pointer leads; for readers who may see the shape of a manifest and not its secrets. */
export function redact<T>(value: T, pointers: readonly string[]): T {
  const copy = structuredClone(value);
  for (const pointer of pointers) {
    const steps = pointer
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = steps.pop();
    let holder: unknown = copy;
    for (const step of steps) holder = (holder as Record<string, unknown> | undefined)?.[step];
    if (last !== undefined && typeof holder === 'object' && holder !== null && Object.hasOwn(holder, last)) {
      (holder as Record<string, unknown>)[last] = null;
    }
  }
  return copy;
}
