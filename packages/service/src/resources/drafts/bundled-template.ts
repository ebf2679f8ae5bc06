import type { Bundle } from '@hortus/contract/resources/imports';
import { conflict, invalid } from '../../problem.ts';
import { workerJob } from '../../workers/job.ts';
import { isClean, readDraft, type Written } from './written.ts';

/** Reads the template in a bundle and checks that it matches its declared hash. */
function readBundledTemplate(template: Bundle['template']): Written {
  const written = readDraft({ spec: template.spec });
  const { species, version, columns } = written;
  if (species !== template.species || version !== template.version)
    throw invalid(
      'bundle.template',
      `is labelled ${template.species} ${template.version}, but its spec is ${species} ${version}.`,
    );
  if (columns.spec_hash !== template.spec_hash)
    throw conflict('bundle.template.spec_hash', 'spec_hash', 'does not match the spec: the template was changed.');
  if (isClean(written.findings)) return written;
  const [first] = written.findings.filter(({ severity }) => severity === 'error');
  throw invalid('bundle.template.spec', `${first?.path}: ${first?.message}`, { findings: written.findings });
}

export const READ_BUNDLED_TEMPLATE = workerJob('bundle.template', readBundledTemplate);
