import type { Change } from '@hortus/contract/resources/upgrades';

const AREAS: Readonly<Record<Change['area'], string>> = {
  application: 'application',
  component: 'component',
  image: 'image',
  env: 'environment variable',
  volume: 'volume',
  port: 'port',
  file: 'file',
  setting: 'setting',
  route: 'route',
  secret: 'secret',
  input: 'input',
  permission: 'permission',
};
const SHORT = 60;

/** A change as a sentence: "The image of web changes from memos:0.24 to memos:0.25." */
export function changeWords({ area, component, name, change, from, to }: Change): string {
  const of = component && component !== name ? ` of ${component}` : '';
  const what = area === 'image' ? `The image${of || ` of ${name}`}` : `The ${AREAS[area]} ${name}${of}`;
  if (change === 'added') return `${what} is new${short(to) ? `: ${to}` : ''}.`;
  if (change === 'removed') return `${what} is removed.`;
  return short(from) && short(to) ? `${what} changes from ${from} to ${to}.` : `${what} changes.`;
}

const short = (text: string | null): boolean =>
  text !== null && text !== '' && text.length <= SHORT && !text.includes('\n');
