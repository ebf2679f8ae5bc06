import type { Definition } from '@hortus/contract/resources/definition-records';
import { inputChanges } from '@hortus/contract/resources/definitions';
import Type, { type Static } from 'typebox';
import { changeTool } from '../change-tool.ts';
import { findDefinition } from '../lookup.ts';
import { oneLine } from '../text/untrusted.ts';
import { Refusal } from '../tool.ts';
import { instanceField } from './instances.ts';

const changes = Type.Object({
  inputs: Type.Optional(inputChanges('Values by input name; null removes one, omitted ones stay.')),
  profile: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Profile; see show_species.' })),
  variant: Type.Optional(
    Type.Union([Type.String({ minLength: 1, maxLength: 64 }), Type.Null()], {
      description: 'Variant, see show_species; null for the default one.',
    }),
  ),
});

export const changeSettings = changeTool({
  name: 'change_settings',
  title: 'Change settings',
  description: 'Save new settings of an application as a revision. Nothing that runs changes until deploy.',
  input: Type.Object({ ...instanceField, ...changes.properties }),
  async plan({ service }, { instance, ...wanted }) {
    const definition = await findDefinition(service, instance);
    const lines = differences(definition, wanted);
    if (lines.length === 0) throw new Refusal('inputs: nothing would change.');
    return {
      text: [`save revision ${definition.current_revision + 1} of ${definition.instance_uid}`, ...lines].join('\n'),
      state: { id: definition.id, revision: definition.current_revision },
      async carryOut() {
        const { data } = await service.call('definitions.update', { params: { id: definition.id }, body: wanted });
        return `Saved revision ${data.current_revision} of ${data.instance_uid}; it is not deployed yet. Next: deploy.`;
      },
    };
  },
});

/** Lists what changes. Shows only values that were shown before: others may be passwords. */
function differences(definition: Definition, wanted: Static<typeof changes>): string[] {
  const shown = (value: unknown) => oneLine(String(value ?? 'none'), 80);
  const inputs = Object.entries(wanted.inputs ?? {}).flatMap(([name, value]) => {
    if (!Object.hasOwn(definition.inputs, name)) return [`- input ${name}: ${value === null ? 'removed' : 'set'}`];
    const before = definition.inputs[name];
    return before === value ? [] : [`- input ${name}: ${shown(before)} → ${shown(value)}`];
  });
  const others = (['profile', 'variant'] as const).flatMap((field) =>
    wanted[field] === undefined || wanted[field] === definition[field]
      ? []
      : [`- ${field}: ${shown(definition[field])} → ${shown(wanted[field])}`],
  );
  return [...inputs, ...others];
}
