import type { Manifest } from '@hortus/contract/template/manifest';
import { isMapping } from '../schema/schema-check.ts';

/** Longest texts by the field that they fill: declared texts are limited by the schema, but their values can be longer. */
const MAX_LENGTHS: Readonly<Record<string, number>> = {
  host: 253,
  path: 1_024,
  mount_path: 4_096,
  content: 1_048_576,
};
/** Longest argument or variable that Linux hands to a program, without the byte at its end. */
const MAX_LENGTH = 131_071;
/** Fields with names from the template, such as variables: a variable called `path` is no path. */
const FREE_NAMES = ['env', 'labels', 'sysctls', 'params', 'headers'];

type Fail = (field: string, message: string) => void;

/** Refuses filled texts that are longer than their field can be. */
export function checkLengths(
  { components, routes, actions, smoke }: Omit<Manifest, 'spec_hash' | 'profile' | 'variant'>,
  fail: Fail,
): void {
  for (const { name, ...route } of routes) check(route, `routes.${name}`, fail);
  for (const { name, ...component } of components) check(component, `components.${name}`, fail);
  for (const { slug, ...action } of actions) check(action, `actions.${slug}`, fail);
  check(smoke, 'smoke', fail);
}

function check(value: unknown, field: string, fail: Fail, key = ''): void {
  if (typeof value === 'string') {
    const max = (Object.hasOwn(MAX_LENGTHS, key) ? MAX_LENGTHS[key] : undefined) ?? MAX_LENGTH;
    if (value.length > max) fail(field, `has ${value.length} characters once it is filled; at most ${max} are allowed`);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) check(item, `${field}.${index}`, fail, key);
  } else if (isMapping(value)) {
    const isFree = FREE_NAMES.includes(key);
    for (const [name, item] of Object.entries(value)) check(item, `${field}.${name}`, fail, isFree ? '' : name);
  }
}
