type Fields = Record<string, unknown>;

/**
 * Reads a result leniently: numbers as text, output as an object, and so on. A daemon cannot be told that a field has
 * the wrong type, and without its result the execution would time out.
 */
export function lenientResult(message: Fields): Fields {
  if (message.type !== 'action_completed' && message.type !== 'action_failed') return message;
  const { exit_code, output, error, result, ...rest } = message;
  const code = exitCode(exit_code);
  // Keep an exit code that is not a number in the error text.
  const unread = code === undefined && present(exit_code) ? `exit_code: ${text(exit_code)}` : undefined;
  const said = present(error) ? text(error) : unread;
  return {
    ...rest,
    ...(code !== undefined && { exit_code: code }),
    ...(present(output) && { output: text(output) }),
    ...(said !== undefined && { error: said }),
    ...(present(result) && { result: isObject(result) ? result : { value: result } }),
  };
}

const present = (value: unknown): boolean => value !== undefined && value !== null;

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function exitCode(value: unknown): number | undefined {
  if (Number.isSafeInteger(value)) return value as number;
  return typeof value === 'string' && /^\s*-?\d{1,15}\s*$/.test(value) ? Number(value) : undefined;
}
