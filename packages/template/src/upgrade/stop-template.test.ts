import type { Template } from '@hortus/contract/template/schema';
import { describe, expect, it } from 'vitest';
import { canonical } from '../canonical/canonical.ts';
import { compareVersions } from '../notation/version-order.ts';
import { parse } from '../source/parse.ts';
import { INKWELL } from '../testing/inkwell.ts';
import { validate } from '../validate.ts';
import { compareForUpgrade } from './compare.ts';
import { stopTemplates } from './stop-template.ts';

const rules = `upgrade:
  notes:
    - {to: "4", text: Themes of version 3 stop working.}
    - {from: "4.0", to: "4.2", text: Only from version 4.}
    - {to: "3", text: Long ago.}
  via:
    - {version: "3.9"}
    - {version: "4.1", app_version: 4.1.7, patch: {image: {tag: 4.1.7, variants: null}, components: {db: {image: {tag: "16.9"}}}}}
  dump_restore: ["4"]
`;
const written = (text = INKWELL) => text + rules;
const read = (text: string) => canonical(parse(text).value as Template);
const codes = (text: string) => validate(text).findings.map(({ code, path }) => `${code} ${path}`);
const chosen = { profile: 'development', inputs: {}, held: [] };

describe('a template for a required stop', () => {
  it('is the newest template with the patch of the stop, as a version before it', () => {
    const spec = read(written());
    const [stop, ...others] = stopTemplates(spec);
    expect(others).toEqual([]);
    expect(stop).toMatchObject({ version: `${spec.version}-via.4.1`, app_version: '4.1.7', image: { tag: '4.1.7' } });
    expect(stop?.components.db?.image).toMatchObject({ tag: '16.9' });
    expect(compareVersions(stop?.version ?? '', spec.version)).toBeLessThan(0);
    expect(compareVersions(stop?.version ?? '', '1.1.9')).toBeGreaterThan(0);
  });

  it('does not keep the digest of another tag', () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const spec = read(
      written(
        INKWELL.replace(
          '{repository: docker.io/library/postgres, tag: "17.5"',
          `{repository: docker.io/library/postgres, tag: "17.5", digest: "${digest}"`,
        ),
      ),
    );
    expect(spec.components.db?.image).toMatchObject({ digest });
    expect(stopTemplates(spec)[0]?.components.db?.image).not.toHaveProperty('digest');
  });
});

describe('the rules of an upgrade', () => {
  it('are valid in ascending order, before the version of the application', () => {
    expect(codes(written())).toEqual([]);
    const wrong = written()
      .replace('version: "3.9"', 'version: "4.1.1"')
      .replace('app_version: 4.1.7', 'app_version: 4.0.7');
    expect(codes(wrong)).toEqual(['upgrade-order upgrade.via[1].version', 'upgrade-order upgrade.via[1].app_version']);
    expect(codes(written().replace('"3.9"', '"4.9"'))).toContain('upgrade-order upgrade.via[0].version');
    expect(codes(written().replace('from: "4.0", to: "4.2"', 'from: "4.2", to: "4.0"'))).toEqual([
      'upgrade-order upgrade.notes[1].from',
    ]);
  });

  it('need a version of the application, and a dump that can be restored into new volumes', () => {
    expect(codes(written().replace('app_version: 4.2.1\n', ''))).toEqual(['no-app-version upgrade']);
    expect(
      codes(
        written().replace(
          '{name: uploads, critical: true}]\n  d',
          '{name: uploads, critical: true}, {name: dbdata}]\n  d',
        ),
      ),
    ).toEqual(['no-restore upgrade.dump_restore']);
  });

  it('report what the patch of a stop breaks', () => {
    expect(codes(written().replace('{db: {image: {tag: "16.9"}}}', '{db: null}'))).toContain(
      'unknown-component upgrade.via[1].patch',
    );
    expect(codes(written().replace('patch: {image', 'patch: {inputs: {}, image'))).toContain(
      'stop upgrade.via[1].patch.inputs',
    );
  });
});

describe('an upgrade between two versions', () => {
  const to = read(written());
  const from = (app_version: string) => ({ ...read(INKWELL), app_version });

  it('shows the notes that lie between, and how the data gets there', () => {
    const { notes, data } = compareForUpgrade(from('3.9.2'), to, chosen);
    expect([notes, data]).toEqual([[{ version: '4', text: 'Themes of version 3 stop working.' }], 'dump_restore']);
    expect(compareForUpgrade(from('4.1.7'), to, chosen)).toMatchObject({
      notes: [{ version: '4.2' }],
      data: 'kept',
      conflicts: [],
    });
  });

  it('is refused with the name of the stop that it would skip', () => {
    expect(compareForUpgrade(from('3.9.2'), to, chosen).conflicts).toEqual([
      {
        field: 'version',
        reason: 'required_stop',
        message: 'version 4.1 is a required stop between 3.9.2 and 4.2.1; upgrade to it first',
      },
    ]);
  });

  it('is refused from versions of the template whose data the newer one cannot take, with what to do instead', () => {
    const refuse = `  refuse:
    - {from: 1.1.0, before: 1.2.0, reason: Uploads moved to another store., instead: "Export the blog, and import it into a new one."}
`;
    const strict = read(written() + refuse);
    const running = (version: string) => ({ ...from('4.1.7'), version });
    const { conflicts, refusal } = compareForUpgrade(running('1.1.9'), strict, chosen);
    expect(refusal).toEqual({
      reason: 'Uploads moved to another store.',
      instead: 'Export the blog, and import it into a new one.',
    });
    expect(conflicts).toEqual([
      {
        field: 'version',
        reason: 'refused',
        message:
          'the newer version does not take the data of the running one. Uploads moved to another store. Instead: Export the blog, and import it into a new one',
      },
    ]);
    for (const version of ['1.0.9', '1.2.0'])
      expect(compareForUpgrade(running(version), strict, chosen)).toMatchObject({ refusal: undefined, conflicts: [] });
    // A stop has the stores of the version that declares it.
    expect(compareForUpgrade(running('1.1.9'), stopTemplates(strict)[0] ?? to, chosen).refusal).toBeDefined();
    expect(codes(written() + refuse)).toEqual([]);
    // Versions of the template, so none of the application is needed.
    expect(codes(`${INKWELL.replace('app_version: 4.2.1\n', '')}upgrade:\n${refuse}`)).toEqual([]);
    expect(codes(written() + refuse.replace('before: 1.2.0', 'before: 1.2.1'))).toEqual([
      'upgrade-order upgrade.refuse[0].before',
    ]);
    expect(codes(written() + refuse.replace('from: 1.1.0', 'from: 1.2.0'))).toEqual([
      'upgrade-order upgrade.refuse[0].from',
    ]);
  });

  it('is refused if the data must be dumped and the running version makes no dump', () => {
    const plain = { ...from('3.9.2'), backup: { strategy: 'volume' as const, volumes: [] } };
    const [stop] = stopTemplates(to);
    expect(compareForUpgrade(plain, stop ?? to, chosen).conflicts).toMatchObject([{ reason: 'no_dump' }]);
  });
});
