/** Reads a variable with a number of milliseconds; undefined if it is not set. */
export function milliseconds(env: Readonly<Record<string, string | undefined>>, name: string): number | undefined {
  const text = env[name];
  if (!text) return undefined;
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`${name} must be a number of milliseconds`);
}
