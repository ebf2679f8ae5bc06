import { loggable } from '@hortus/logging/loggable';
import { redactJson } from '@hortus/logging/redact';
import type { Bench, Figure } from './claim.ts';

const LINE = 16 * 1024;
/** Far below the longest turn of the event loop that a request may take. */
const MAX_MS = 50;

/** Texts on which a careless pattern backtracks. */
const parts: Readonly<Record<string, string>> = {
  'beginnings of URLs': 'a://b:',
  'schemes without an end': 'a.b-',
  'bearer tokens without a token': 'Bearer  "',
  'beginnings of keys': 'hk_live_x ',
};

/** Measures the removal of secrets from hostile log lines: bounded, and linear in their length. */
export const redaction: Bench = {
  name: 'redaction',
  async run(repetitions) {
    return Object.entries(parts).map(([name, part]): Figure => {
      const cost = (length: number) => {
        const text = part.repeat(Math.ceil(length / part.length)).slice(0, length);
        return Math.min(...Array.from({ length: 10 * repetitions }, () => cpuMs(text)));
      };
      // The first call compiles the code.
      cost(LINE);
      const value = cost(LINE);
      const longer = cost(LINE * 8);
      return {
        claim: `redaction of 16 KiB with ${name}`,
        value,
        unit: 'ms of a core',
        against: { name: 'ms allowed', value: MAX_MS },
        ratio: value / MAX_MS,
        promise: { atMost: 1 },
        note: `${longer.toFixed(2)} ms for eight times the length`,
      };
    });
  },
};

/** Processor time, because other processes of the machine do not count. */
function cpuMs(text: string): number {
  const begin = process.cpuUsage();
  redactJson(JSON.stringify(loggable({ text, err: new Error(text) })));
  redactJson(JSON.stringify(text));
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1_000;
}
