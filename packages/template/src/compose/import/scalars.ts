const NULL = /^(~|null|Null|NULL|)$/;
const TRUE = /^(true|True|TRUE)$/;
const FALSE = /^(false|False|FALSE)$/;
const INTEGER = /^[+-]?(0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[1-9][0-9_]*|0)$/;
const FLOAT = /^[+-]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][+-]?[0-9]+)?$/;

/**
 * Interprets an unquoted scalar like Compose. Its parser follows YAML 1.2 with some rules of 1.1: 0755 is octal and
 * 1_000 a number, but yes, no, on and off are strings and 12:30 is not a number of seconds.
 */
export function plainScalar(source: string): string | number | boolean | null {
  if (NULL.test(source)) return null;
  if (TRUE.test(source)) return true;
  if (FALSE.test(source)) return false;
  if (INTEGER.test(source)) return integer(source) ?? source;
  if (FLOAT.test(source)) return Number(source);
  return source;
}

function integer(source: string): number | undefined {
  const negative = source.startsWith('-');
  const digits = source.replace(/^[+-]/, '').replaceAll('_', '');
  const octal = /^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits;
  const value = Number(octal);
  // Larger integers would lose precision, and they are usually ids; keep them as strings.
  if (!Number.isSafeInteger(value)) return undefined;
  return negative ? -value : value;
}

/** Formats a scalar where Compose expects a string. */
export function scalarText(value: string | number | boolean): string {
  return String(value);
}

export function isScalarValue(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
