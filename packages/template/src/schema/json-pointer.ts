/**
 * Replaces the value at an RFC 6901 pointer, in place. Does nothing if the path does not exist. Follows only own
 * properties, so that a pointer never reaches a prototype.
 */
export function replaceAt(root: unknown, pointer: string, replace: (value: unknown) => unknown): void {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = steps.pop();
  let holder: unknown = root;
  for (const step of steps) holder = isHolder(holder) && Object.hasOwn(holder, step) ? holder[step] : undefined;
  if (last !== undefined && isHolder(holder) && Object.hasOwn(holder, last)) holder[last] = replace(holder[last]);
}

/** Escapes one step of a pointer. */
export const pointerStep = (name: string | number): string => String(name).replaceAll('~', '~0').replaceAll('/', '~1');

const isHolder = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
