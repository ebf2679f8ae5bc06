export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
type Fields = Readonly<Record<string, unknown>>;

/** Log for the operator: one JSON object per line on standard error. */
export interface Log {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
}

const order: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

export function openLog(least: LogLevel, write: (line: string) => void = (line) => process.stderr.write(line)): Log {
  const at =
    (level: LogLevel) =>
    (message: string, fields: Fields = {}) => {
      if (order.indexOf(level) < order.indexOf(least)) return;
      const line = JSON.stringify({ level, time: new Date().toISOString(), ...shown(fields), msg: message });
      write(`${withoutKeys(line)}\n`);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function shown(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? value.message : value]),
  );
}

/** Removes API and server keys from a line, wherever they appear. */
function withoutKeys(line: string): string {
  return line.replace(/\b(h[ks]_(?:live|test)_)[A-Za-z0-9_-]{8,}/g, '$1[removed]');
}
