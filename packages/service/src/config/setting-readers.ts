import { isIP } from 'node:net';
import { parseNetwork, printNetwork } from '../identity/networks.ts';
import { defaultRetention, minDays, type Retention } from '../retention/periods.ts';
import { ADDRESS } from './apps-domain.ts';

// Readers of settings. Each throws an error that describes valid values; the given value is never in the message,
// because it may be a misplaced secret.

export function wrong(expected: string): never {
  throw new Error(expected);
}

export const oneOf =
  <Word extends string>(...words: readonly Word[]) =>
  (text: string): Word =>
    words.find((word) => word === text) ?? wrong(`must be one of ${words.join(', ')}.`);

export const yesOrNo = (text: string): boolean => oneOf('true', 'false')(text) === 'true';

export const whole = (text: string, min: number, max: number): number => {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  return number >= min && number <= max ? number : wrong(`must be a whole number from ${min} to ${max}.`);
};

export const url = (text: string, protocols: readonly string[], example: string): URL => {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  return parsed && protocols.includes(parsed.protocol) ? parsed : wrong(`must be an address such as ${example}.`);
};

export const showLimits = (limits: object) =>
  Object.entries(limits)
    .map((limit) => limit.join('='))
    .join(',');

export const limits =
  <Limits extends object>(standard: Limits, min: number) =>
  (text: string): Limits => {
    const found = { ...standard } as Record<string, number>;
    for (const part of text.split(',')) {
      const [, name = '', number = ''] = /^\s*([a-z]+)\s*=\s*(\d{1,9})\s*$/.exec(part) ?? [];
      if (!Object.hasOwn(standard, name)) wrong(`must look like ${showLimits(standard)}; each part is optional.`);
      found[name] = whole(number, min, 100_000_000);
    }
    return found as Limits;
  };

export function retention(text: string): Retention {
  const found: Record<string, number> = { ...defaultRetention };
  for (const part of text.split(',')) {
    const [, name = '', days = ''] = /^\s*([a-z]+)\s*=\s*(\d{1,5})\s*$/.exec(part) ?? [];
    if (!Object.hasOwn(defaultRetention, name))
      wrong(`must look like ${showLimits(defaultRetention)}, in days; each part is optional, 0 keeps rows forever.`);
    found[name] = days === '0' ? 0 : whole(days, minDays[name as keyof Retention], 36_500);
  }
  return found as unknown as Retention;
}

export const networks = (text: string): string[] =>
  text.split(',').map((part) => {
    const network = parseNetwork(part.trim());
    return network ? printNetwork(network) : wrong('must be addresses or networks, such as 10.0.0.0/8,fd00::/8.');
  });

export function host(text: string): string {
  const bare = text.replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) || /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(bare)
    ? bare
    : wrong('must be an address or a host name, such as 127.0.0.1 or 0.0.0.0.');
}

/** A domain for names below it, in which `{address}` stands for the address of a server. */
export function appsDomain(text: string): string {
  const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
  // Leaves room for the name of an application and a long address.
  const isDomain =
    text.length <= 120 &&
    text
      .replaceAll(ADDRESS, 'x')
      .split('.')
      .every((part) => label.test(part));
  return isDomain ? text : wrong('must be a domain such as apps.example.org or {address}.sslip.io.');
}

export const secretText = (min: number) => (text: string) =>
  text.length >= min ? text : wrong(`must have at least ${min} characters.`);
