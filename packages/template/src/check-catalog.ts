import { type Finding, formatFinding } from './finding.ts';
import { type LoadedTemplate, loadCatalog } from './load.ts';
import { rehearse } from './rehearse.ts';

/** Every finding of a catalog: what the validator says, and what only a resolution shows. */
async function check(template: LoadedTemplate): Promise<Finding[]> {
  if (template.template === undefined || template.spec === undefined) return template.findings;
  const failures = await rehearse(template.template, template.spec);
  return [
    ...template.findings,
    ...failures.map(
      ({ path, message }): Finding => ({
        severity: 'error',
        code: 'rehearsal',
        path,
        line: 1,
        column: 1,
        message,
        file: template.file,
      }),
    ),
  ];
}

const [folder = 'catalog'] = process.argv.slice(2);
const catalog = await loadCatalog(folder);
const findings = (await Promise.all(catalog.map(check))).flat();
for (const finding of findings) console.log(formatFinding(finding));

const families = new Set(catalog.map(({ family }) => family)).size;
const errors = findings.filter(({ severity }) => severity === 'error').length;
const unverified = catalog.filter(({ spec }) => spec?.unverified).length;
console.log(
  `${catalog.length} species in ${families} families (${unverified} unverified): ${errors} errors, ${findings.length - errors} warnings`,
);
process.exitCode = findings.length === 0 && catalog.length > 0 ? 0 : 1;
