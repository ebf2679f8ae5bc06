import type { ManifestAction } from '@hortus/contract/template/manifest';
import { describe, expect, it } from 'vitest';
import { component, manifest } from '../plan/testing/manifests.ts';
import { action, request } from '../testing/actions.ts';
import { allowedAction } from './allowed-action.ts';

const dump: ManifestAction = action('dump', ['pg_dump', '--table=${params.table}', '${params.only:+--schema-only}'], {
  env: { TABLE: '${params.table}', PLAIN: '$HOME' },
  params: [
    { name: 'table', type: 'text', required: true },
    { name: 'only', type: 'boolean', required: false, default: false },
  ],
});
const blog = manifest('blog', [component('main')], { actions: [dump] });

describe('an action', () => {
  it('runs as declared in the manifest, with the params filled in', () => {
    const asked = request('dump', ['pg_dump', '--table=users', '--schema-only'], { table: 'users', only: true });
    expect(allowedAction(asked, blog)).toMatchObject({
      ok: true,
      argv: ['pg_dump', '--table=users', '--schema-only'],
      action: { env: { TABLE: 'users', PLAIN: '$HOME' } },
    });
  });

  it('keeps shell metacharacters within their argument', () => {
    const table = `$(touch /tmp/x); \`id\` | cat > /etc/passwd && "'\n *`;
    const asked = request('dump', ['pg_dump', `--table=${table}`], { table });
    expect(allowedAction(asked, blog)).toMatchObject({ ok: true, argv: ['pg_dump', `--table=${table}`] });
  });

  it('that is not in the manifest is refused', () => {
    expect(allowedAction(request('shell', ['sh']), blog)).toMatchObject({ ok: false });
  });

  it('of an instance that was not deployed here is refused', () => {
    expect(allowedAction(request('dump', ['pg_dump']), undefined)).toMatchObject({ ok: false });
  });

  it('with a command that differs from the manifest is refused', () => {
    for (const argv of [['sh', '-c', 'id'], ['pg_dump', '--table=users', '--file=/x'], ['pg_dump'], []]) {
      expect(allowedAction(request('dump', argv, { table: 'users' }), blog)).toMatchObject({ ok: false });
    }
  });

  it('with undeclared or invalid params is refused', () => {
    expect(allowedAction(request('dump', ['pg_dump', '--table='], {}), blog)).toMatchObject({ ok: false });
    const more = request('dump', ['pg_dump', '--table=a'], { table: 'a', host: 'evil' });
    expect(allowedAction(more, blog)).toMatchObject({ ok: false });
  });

  it('under another type is refused', () => {
    const asked = request('dump', ['pg_dump', '--table=a'], { table: 'a' });
    asked.action.type = 'job';
    expect(allowedAction(asked, blog)).toMatchObject({ ok: false });
  });
});
