import type { Template } from '@hortus/contract/resources/templates';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { useApi } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { type Command, useCommands } from '../../frame/commands.ts';
import { Section } from '../../parts/page.tsx';
import { RecordPage } from '../../parts/record-page.tsx';
import { sentenceCase } from '../../parts/status.tsx';
import { Skeleton, Trouble } from '../../parts/waiting.tsx';
import { ComponentGraph } from './component-graph.tsx';
import { DeployForm } from './deploy/deploy-form.tsx';
import { Facts } from './facts.tsx';
import { Plate } from './plate.tsx';
import { Versions } from './versions.tsx';

export function SpeciesPage(): ReactNode {
  const { species } = useParams({ from: '/frame/catalog/$species' });
  const { data, error } = useApi('templates.read', { params: { species } });
  const template = data?.data;
  const catalog = (
    <Link key="catalog" to="/catalog">
      Catalog
    </Link>
  );
  if (!template)
    return (
      <RecordPage title={species} crumbs={[catalog]} lead={<span className="block h-[2lh]" />}>
        {error ? <Trouble error={error} /> : <Waiting />}
      </RecordPage>
    );
  const { kingdom } = template.taxonomy;
  return (
    <RecordPage
      title={template.name}
      crumbs={[
        catalog,
        <Link key="kingdom" to="/catalog" search={{ kingdom }}>
          {sentenceCase(kingdom)}
        </Link>,
        <Link key="family" to="/catalog" search={{ family: template.family }}>
          {sentenceCase(template.family)}
        </Link>,
      ]}
      lead={<p className="min-h-[2lh]">{template.description}</p>}
    >
      {error && <Trouble error={error} />}
      <Species key={template.id} template={template} />
    </RecordPage>
  );
}

function Species({ template }: { template: Template }) {
  const spec = template.spec.canonical as unknown as Canonical;
  const may = useMay();
  const mayDeploy = may('definitions:write') && may('deployments:execute');
  // The form is as long as its list of servers, so it is drawn when that is known.
  const isReading = useApi('overview.read').isPending;
  useCommands(useDeployCommand(template.name, mayDeploy));
  return (
    <div className="species-columns">
      <div className="about-species">
        <Plate template={template} />
        {template.deprecated && (
          <p className="notice">This species is deprecated: what runs keeps running, new ones should use another.</p>
        )}
        <Section title="What it runs">
          <ComponentGraph spec={spec} />
        </Section>
        <Facts template={template} spec={spec} />
        <Versions species={template.species} />
      </div>
      {mayDeploy && isReading ? (
        <div className="sheet deploy-form" aria-busy="true" />
      ) : mayDeploy ? (
        <DeployForm template={template} spec={spec} />
      ) : (
        <p className="sheet deploy-form text-ink-2">
          Deploying needs the permissions to write definitions and to execute deployments. Ask an owner of the account
          for them.
        </p>
      )}
    </div>
  );
}

/** In the palette: goes to the form. */
function useDeployCommand(name: string, mayDeploy: boolean): readonly Command[] {
  return useMemo(() => {
    const run = () => document.querySelector<HTMLElement>('.deploy-form input')?.focus();
    return mayDeploy ? [{ name: `Deploy ${name}`, run }] : [];
  }, [name, mayDeploy]);
}

/** As high as the page will be, so that nothing moves. */
function Waiting() {
  return (
    <div className="species-columns" aria-hidden="true">
      <div>
        <div className="sheet mb-[30px] min-h-[312px]" />
        <Skeleton lines={6} />
      </div>
      <div className="sheet min-h-[620px]" />
    </div>
  );
}
