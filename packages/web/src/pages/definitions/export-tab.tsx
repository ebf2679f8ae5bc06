import type { Definition } from '@hortus/contract/resources/definition-records';
import { useMay } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Copied } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Section } from '../../parts/page.tsx';
import { saveText } from '../../parts/save-text.ts';

/** Two ways out: the settings as a file, and everything, data and secrets included, by the command line. */
export function ExportTab({ definition }: { definition: Definition }) {
  const may = useMay();
  const { species, instance_uid, name, profile, variant, inputs, template_version, backup, watch_seconds, heal } =
    definition;
  const settings = {
    species,
    template_version,
    instance_uid,
    name,
    profile,
    variant,
    inputs,
    backup,
    watch_seconds,
    heal,
  };
  return (
    <div className="max-w-[680px]">
      <Section title="Settings" className="mb-8">
        <p className="mb-3 text-ink-2">
          What is to run, as JSON, without secrets and data. Its fields are those of a new definition.
        </p>
        <Button
          onClick={() => saveText(`${instance_uid}.json`, `${JSON.stringify(settings, null, 2)}\n`, 'application/json')}
        >
          <Icon name="down" />
          Download the settings
        </Button>
      </Section>
      {may('data:export') && (
        <Section title="Everything">
          <p className="mb-3 text-ink-2">
            Settings, secrets and the content of its volumes in one file, encrypted with a passphrase that only you
            know. Another Hortus can import it. The data does not pass through this page: run this where the file shall
            be.
          </p>
          <Copied label="Copy command" text={`hortus definitions export ${instance_uid} -o ${instance_uid}.hortus`} />
        </Section>
      )}
    </div>
  );
}
