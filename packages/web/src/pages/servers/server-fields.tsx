import type { Server } from '@hortus/contract/resources/server-records';
import { CheckField } from '../../parts/check-field.tsx';
import { Field } from '../../parts/field.tsx';
import { SelectField } from '../../parts/select-field.tsx';
import { sentenceCase } from '../../parts/status.tsx';

/** What a person says about a server. */
export interface ServerValues {
  readonly name: string;
  readonly environment: Server['environment'];
  readonly description: string;
  /** As the person writes them; see labels.ts. */
  readonly labels: string;
  readonly deploy_tests: boolean;
}

/** Names of the fields, for what the service says about them. */
export const serverFieldNames = ['name', 'environment', 'description', 'labels'] as const;

const ENVIRONMENTS: Record<Server['environment'], true> = { production: true, staging: true, development: true };

/** The fields of a server, for registering and for changing one. */
export function ServerFields({
  values,
  onChange,
  about,
}: {
  values: ServerValues;
  onChange: (values: ServerValues) => void;
  about: (name: string) => string | undefined;
}) {
  return (
    <>
      <div className="pair">
        <Field
          label="Name"
          autoFocus
          required
          maxLength={120}
          autoComplete="off"
          value={values.name}
          onChange={(name) => onChange({ ...values, name })}
          problem={about('name')}
        />
        <SelectField
          label="Environment"
          value={values.environment}
          choices={Object.keys(ENVIRONMENTS).map((value) => ({ value, label: sentenceCase(value) }))}
          onChange={(value) => onChange({ ...values, environment: value as Server['environment'] })}
          problem={about('environment')}
        />
      </div>
      <Field
        label="Description"
        note="optional"
        maxLength={2000}
        value={values.description}
        onChange={(description) => onChange({ ...values, description })}
        problem={about('description')}
      />
      <Field
        label="Labels"
        note="optional"
        placeholder="site=berlin, rack=4"
        help="By which servers are chosen together, for example to update their daemons."
        value={values.labels}
        onChange={(labels) => onChange({ ...values, labels })}
        problem={about('labels')}
      />
      <CheckField
        label="Test templates here"
        help="Templates of this account are deployed here for a short test before they are published."
        checked={values.deploy_tests}
        onChange={(deploy_tests) => onChange({ ...values, deploy_tests })}
      />
    </>
  );
}
