import type { Input, InputType, InputValue } from '@hortus/contract/template/inputs';
import { KINDS } from '../../inputs/kinds.ts';
import { references } from '../../interpolation/text.ts';

const BY_NAME: readonly [RegExp, InputType][] = [
  [/(^|_)(TZ|TIMEZONE|TIME_ZONE)$/i, 'timezone'],
  [/(^|_)E?MAIL(_?ADDRESS)?$/i, 'email'],
  [/_UR[LI]$/i, 'url'],
  [/(^|_)(DOMAIN|HOSTNAME|FQDN)(_?NAME)?$/i, 'domain'],
  [/(^|_)PORT$/i, 'port'],
];
const BY_VALUE: readonly InputType[] = ['boolean', 'integer', 'number'];

/** Chooses the most specific type that the name suggests and the default allows. */
export function typeOf(name: string, standard: string | undefined): Pick<Input, 'type' | 'default'> {
  const byName = BY_NAME.filter(([form]) => form.test(name)).map(([, type]) => type);
  if (standard === undefined || standard === '') return { type: byName[0] ?? 'string' };
  for (const type of [...byName, ...BY_VALUE]) {
    const value = accepted(type, name, standard);
    if (value !== undefined) return { type, default: value };
  }
  const plain = standard.includes('\n') || standard.length > 4096 ? 'text' : 'string';
  return { type: plain, default: standard };
}

/** Returns the default in the given type, if converting it back gives the same text. */
function accepted(type: InputType, name: string, standard: string): InputValue | undefined {
  const outcome = KINDS[type]({ name, type })(standard);
  return 'value' in outcome && String(outcome.value) === standard ? outcome.value : undefined;
}

/** Defaults are taken literally, so a text with references cannot be one. */
export function canBeDefault(text: string): boolean {
  return references(text).length === 0 && !text.includes('\0') && text.length <= 65_536;
}
