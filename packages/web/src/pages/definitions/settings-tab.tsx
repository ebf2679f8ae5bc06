import type { Definition, InputValue } from '@hortus/contract/resources/definition-records';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { type FormEvent, useState } from 'react';
import { fieldProblem, problemText } from '../../api/problem.ts';
import { useApi, useOrder } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { DeclaredField } from '../../parts/declared-field.tsx';
import { Field } from '../../parts/field.tsx';
import { Section } from '../../parts/page.tsx';
import { toast } from '../../parts/toast.tsx';
import { Loaded } from '../../parts/waiting.tsx';
import { type Chosen, changedBindings, chosenOf, NeedPicks } from '../connections/need-pick.tsx';
import { useRedeploy } from '../instance/redeploy.ts';
import { applying, changesOf, type FormInput, inputsOf, shownValue } from './input-changes.ts';

/** The settings of the current revision. Saving makes a new one, which takes effect when it is deployed. */
export function SettingsTab({ definition }: { definition: Definition }) {
  const query = useApi('templates.read', { params: { species: definition.template_id }, query: { shape: 'species' } });
  return (
    <Loaded query={query} lines={10}>
      {({ data }) => {
        const spec = data.spec.canonical as unknown as Canonical;
        return (
          <Settings
            key={definition.current_revision}
            definition={definition}
            inputs={inputsOf(spec)}
            needs={spec.needs}
          />
        );
      }}
    </Loaded>
  );
}

function Settings({
  definition,
  inputs,
  needs,
}: {
  definition: Definition;
  inputs: readonly FormInput[];
  needs: Canonical['needs'];
}) {
  const may = useMay();
  const [name, setName] = useState(definition.name);
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const bound = chosenOf(definition.bindings);
  const [chosen, setChosen] = useState<Chosen>(bound);
  const [problem, setProblem] = useState<unknown>();
  const update = useOrder('definitions.update');
  const deploy = useRedeploy(definition.id, definition.name);
  const wrong = fieldProblem(problem);
  const current = (input: string) => typed[input] ?? shownValue(definition.inputs[input]);
  const secretHint = (input: string) =>
    definition.secret_inputs.includes(input) ? 'set; leave empty to keep it' : 'not set';
  const changes = changesOf(inputs, definition.inputs, typed);
  const bindings = changedBindings(needs, bound, chosen);
  const isChanged = Object.keys({ ...changes, ...bindings }).length > 0 || name !== definition.name;
  async function save(event: FormEvent) {
    event.preventDefault();
    const body = {
      ...(name !== definition.name && { name }),
      ...(Object.keys(changes).length > 0 && { inputs: changes as Record<string, InputValue | null> }),
      ...(Object.keys(bindings).length > 0 && { bindings }),
    };
    try {
      const { data } = await update.mutateAsync({ params: { id: definition.id }, body });
      const action = may('deployments:execute') ? { label: 'Deploy it', run: () => void deploy() } : undefined;
      toast(
        data.current_revision === definition.current_revision
          ? 'Saved.'
          : `Revision ${data.current_revision} is saved. It takes effect when it is deployed.`,
        { action },
      );
    } catch (error) {
      setProblem(error);
    }
  }
  return (
    <form className="max-w-[640px]" onSubmit={save}>
      <fieldset disabled={!may('definitions:write')}>
        <Section title="Settings" note={`profile ${definition.profile}`}>
          <Field
            label="Name"
            value={name}
            onChange={setName}
            problem={wrong?.field === 'name' ? wrong.text : undefined}
          />
          {applying(inputs, current).map((input) => (
            <DeclaredField
              key={input.name}
              declared={input}
              disabled={input.immutable}
              note={input.immutable ? 'cannot change' : input.label ? input.name : undefined}
              standard={shownValue(input.default)}
              placeholder={input.type === 'password' ? secretHint(input.name) : undefined}
              value={current(input.name)}
              onChange={(value) => setTyped({ ...typed, [input.name]: value })}
              problem={wrong?.field.endsWith(input.name) ? wrong.text : undefined}
            />
          ))}
          <NeedPicks
            needs={needs}
            serverId={definition.server_id}
            chosen={chosen}
            about={(field) => (wrong?.field === field ? wrong.text : undefined)}
            onChange={setChosen}
          />
        </Section>
        {problem !== undefined &&
          !(
            wrong &&
            ['name', ...inputs.map((input) => input.name), ...needs.map(({ as }) => `bindings.${as}`)].some((text) =>
              wrong.field.endsWith(text),
            )
          ) && (
            <p role="alert" className="help bad mb-3">
              {problemText(problem)}
            </p>
          )}
        {may('definitions:write') && (
          <Button kind="primary" type="submit" disabled={!isChanged} busy={update.isPending}>
            Save as revision {definition.current_revision + 1}
          </Button>
        )}
      </fieldset>
    </form>
  );
}
