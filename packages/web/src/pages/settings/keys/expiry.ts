import type { Choice } from '../../../parts/select-field.tsx';

const DAY = 86_400_000;
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

/** How long a key lasts; `date` asks for a day. */
const expiries = ['30', '90', '365', 'date', 'never'] as const;
export type Expiry = (typeof expiries)[number];

export const expiryChoices = (now: number): readonly Choice[] =>
  expiries.map((value) => {
    if (value === 'never') return { value, label: 'never' };
    if (value === 'date') return { value, label: 'on a day of your choice' };
    return {
      value,
      label: `in ${value === '365' ? 'a year' : `${value} days`}, ${day.format(now + Number(value) * DAY)}`,
    };
  });

/** The time that the service is told; null for never, undefined while the day is missing. */
export function expiryTime(expiry: Expiry, date: string, now: number): string | null | undefined {
  if (expiry === 'never') return null;
  if (expiry !== 'date') return new Date(now + Number(expiry) * DAY).toISOString();
  const end = Date.parse(`${date}T23:59:59`);
  return Number.isNaN(end) ? undefined : new Date(end).toISOString();
}
