import type { Definition, InputValue } from '@hortus/contract/resources/definition-records';
import type { DefinitionUpdate } from '@hortus/contract/resources/definitions';
import { nearest } from '@hortus/template/schema/nearest';
import { parse } from '@hortus/template/source/parse';
import { stringify } from 'yaml';

/** Fields of a definition that can be edited; `inputs` is separate because its keys differ by species. */
const fields = ['name', 'profile', 'variant', 'watch_seconds', 'heal', 'backup'] as const;
const keys = [...fields, 'inputs'];

/** Writes a definition for an editor. Password inputs are left out: the service never shows them. */
export function definitionText(definition: Definition): string {
  const { instance_uid, species, template_version, current_revision, secret_inputs } = definition;
  const shown = Object.fromEntries(keys.map((key) => [key, definition[key as keyof Definition]]));
  const secrets =
    secret_inputs.length === 0
      ? ''
      : `# Set and not shown: ${secret_inputs.join(', ')}.
# Change one with hortus deploy --definition ${instance_uid} --set-file ${secret_inputs[0]}=<path>.
`;
  return `# ${instance_uid}: ${species} ${template_version}, revision ${current_revision}.
# Save and close the editor to change it. An unchanged file changes nothing; a removed input gets its default.
${secrets}${stringify(shown, { lineWidth: 0 })}`;
}

/** A mistake in the edited text, to be shown in it. */
export class TextMistake extends Error {}

/** Returns what the edited text changes; undefined if nothing. Throws a TextMistake. */
export function changesIn(text: string, definition: Definition): DefinitionUpdate | undefined {
  const { value, findings } = parse(text);
  const [mistake] = findings;
  if (mistake) throw new TextMistake(`line ${mistake.line}: ${mistake.message}`);
  if (!isObject(value)) throw new TextMistake('the text must be a list of fields.');
  for (const key of Object.keys(value)) {
    if (keys.includes(key)) continue;
    const meant = nearest(key, keys);
    throw new TextMistake(`${key}: is not a field${meant ? `; did you mean ${meant}?` : '.'}`);
  }
  const changed = fields.filter((key) => key in value && !isSame(value[key], definition[key]));
  const inputs = inputChanges(value.inputs, definition.inputs);
  const update = { ...Object.fromEntries(changed.map((key) => [key, value[key]])), ...(inputs && { inputs }) };
  return Object.keys(update).length === 0 ? undefined : update;
}

type Inputs = Readonly<Record<string, InputValue>>;

function inputChanges(edited: unknown, before: Inputs): Record<string, InputValue | null> | undefined {
  if (edited === undefined) return undefined;
  // An empty block is null in YAML.
  const after = edited ?? {};
  if (!isObject(after)) throw new TextMistake('inputs: must be a list of names and values.');
  const changes: Record<string, InputValue | null> = {};
  for (const [name, value] of Object.entries(after)) {
    if (value !== null && !isInput(value)) throw new TextMistake(`inputs.${name}: must be one value.`);
    if (value !== before[name]) changes[name] = value;
  }
  for (const name of Object.keys(before)) if (!(name in after)) changes[name] = null;
  return Object.keys(changes).length === 0 ? undefined : changes;
}

const isInput = (value: unknown): value is InputValue => ['string', 'number', 'boolean'].includes(typeof value);
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Compares objects by the fields of the edited one: a removed field keeps its value. */
function isSame(edited: unknown, before: unknown): boolean {
  if (!isObject(edited) || !isObject(before)) return edited === before;
  return Object.entries(edited).every(([key, value]) => isSame(value, before[key]));
}
