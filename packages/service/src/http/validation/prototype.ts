/**
 * Tells whether a body names the prototype of its objects: harmless when parsed, but not for code that copies it field
 * by field. Not recursive: a body may be nested as deeply as it is long.
 */
export function holdsPrototype(body: unknown): boolean {
  const open = [body];
  while (open.length > 0) {
    const value = open.pop();
    if (value === null || typeof value !== 'object') continue;
    if (Object.hasOwn(value, '__proto__')) return true;
    if (Object.hasOwn(value, 'constructor') && isPrototyped((value as { constructor: unknown }).constructor))
      return true;
    for (const inner of Object.values(value)) open.push(inner);
  }
  return false;
}

const isPrototyped = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
